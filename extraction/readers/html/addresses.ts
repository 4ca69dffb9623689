/** Addresses of links and images, absolute where the page's own address is known. */
import type { DomDocument, DomElement } from './dom.ts';

const lazySources = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-actualsrc',
  'data-hi-res-src',
  'data-image',
  'data-url',
];
const lazySets = ['srcset', 'data-srcset', 'data-lazy-srcset'];

/** Makes links and image addresses absolute, and removes those that lead nowhere (scripts, inlined images). */
export function resolveAddresses(document: DomDocument, url: string | null): void {
  const declared = document.querySelector('base[href]')?.getAttribute('href') ?? null;
  const base = resolved(declared, url) ?? url;
  for (const image of document.querySelectorAll('img')) {
    const source = sourceOf(image);
    if (source !== null) image.setAttribute('src', source);
  }
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const address = (element.getAttribute(attribute) ?? '').trim();
      // A link within the page stays one: what it leads to is in the same text.
      if (attribute === 'href' && address.startsWith('#') && declared === null) element.setAttribute('data-within', '');
      if (/^(?:javascript|data|blob|about|vbscript):/i.test(address)) element.removeAttribute(attribute);
      else element.setAttribute(attribute, resolved(address, base) ?? address);
    }
  }
}

/** Where an image is that scripts would load only once it is seen, or that comes in several sizes. */
function sourceOf(image: DomElement): string | null {
  const source = (image.getAttribute('src') ?? '').trim();
  const isPlaceholder =
    source === '' ||
    /^data:/i.test(source) ||
    /(?:placeholder|spacer|blank|loading|lazy|1x1|pixel)[^/]*\.(?:gif|png|svg|jpe?g)$/i.test(source);
  if (!isPlaceholder) return null;
  for (const name of lazySources) {
    const address = image.getAttribute(name)?.trim() ?? '';
    if (address !== '' && !/^data:|\s/i.test(address)) return address;
  }
  const picture =
    image.parentElement?.localName === 'picture' ? Array.from(image.parentElement.querySelectorAll('source')) : [];
  for (const element of [image, ...picture]) {
    for (const name of lazySets) {
      const largest = largestOf(element.getAttribute(name) ?? '');
      if (largest !== null) return largest;
    }
  }
  return null;
}

/** The address of the largest image of a srcset ("a.jpg 480w, b.jpg 2x"). */
function largestOf(set: string): string | null {
  let best: { address: string; size: number } | null = null;
  for (const [, address = '', size = '1'] of set.matchAll(/([^\s,]\S*[^\s,])(?:\s+([\d.]+)[wxh])?\s*(?:,|$)/g)) {
    if (/^data:/i.test(address)) continue;
    if (best === null || Number(size) > best.size) best = { address, size: Number(size) };
  }
  return best?.address ?? null;
}

function resolved(address: string | null, base: string | null): string | null {
  if (address === null) return null;
  if (base !== null && URL.canParse(address, base)) return new URL(address, base).href;
  return URL.canParse(address) ? new URL(address).href : null;
}
