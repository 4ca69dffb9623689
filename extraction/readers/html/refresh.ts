/** Pages that only send on to another address, by an element and not by their status. */
import { charsetOfHtml, decodeText } from '../../detection/encoding/decode.ts';

/** A page that only sends on is short; beyond this it is one to read. */
const mostBytes = 16 * 1024;
const mostText = 400;
const mostSeconds = 10;

/**
 * Where `<meta http-equiv="refresh">` of this page sends to, within ten seconds and with hardly a word beside it: an
 * absolute http(s) address other than the page's own, without its fragment. Null for a page that is to be read.
 */
export function refreshTarget(page: { body: Uint8Array; contentType: string | null; url: string }): string | null {
  const { body, contentType, url } = page;
  if (body.byteLength > mostBytes || !/^(?:text\/html|application\/xhtml\+xml)\b|^$/i.test(contentType ?? ''))
    return null;
  const html = decodeText(body, charsetOfHtml(body))
    .text.replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(script|style|noscript|title|template)\b[\s\S]*?<\/\1\s*>/gi, '');
  const text = html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length > mostText) return null;
  for (const [element] of html.matchAll(/<meta\s[^<>]*>/gi)) {
    if (!/\bhttp-equiv\s*=\s*["']?refresh\b/i.test(element)) continue;
    const content = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(element);
    const target = targetOf((content?.[1] ?? content?.[2] ?? content?.[3] ?? '').replaceAll('&amp;', '&'), url);
    if (target !== null) return target;
  }
  return null;
}

/** "0; url='/new'" */
function targetOf(content: string, base: string): string | null {
  const [, seconds = '', address = ''] =
    /^\s*(\d{1,6})(?:\.\d*)?\s*[;,]?\s*(?:url\s*=\s*)?["']?([^"']*)["']?\s*$/i.exec(content) ?? [];
  if (seconds === '' || Number(seconds) > mostSeconds || address.trim() === '') return null;
  const target = URL.parse(address.trim(), base);
  if (target === null || !/^https?:$/.test(target.protocol)) return null;
  target.hash = '';
  const own = URL.parse(base);
  if (own !== null) own.hash = '';
  return target.href === own?.href ? null : target.href;
}
