/** How much text an element holds, and how much of it leads elsewhere. */
import { type DomElement, type DomNode, isElement } from './dom.ts';

/** In letters and digits; one of Chinese, Japanese or Korean says about as much as two of an alphabet. */
export interface Weight {
  text: number;
  /** What of it stands in links to other places; links within the page are not counted. */
  linked: number;
}

const nothing: Weight = { text: 0, linked: 0 };
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

export type Weights = (node: DomNode) => Weight;

/** The weights of all elements below `root` as they are now, from one walk. */
export function weigh(root: DomElement): Weights {
  const weights = new Map<DomNode, Weight>();
  function walk(node: DomNode, linked: boolean): Weight {
    if (!isElement(node)) {
      if (node.nodeName !== '#text') return nothing;
      const text = lettersOf(node.textContent ?? '');
      return { text, linked: linked ? text : 0 };
    }
    const isLink = linked || (node.localName === 'a' && !(node.getAttribute('href') ?? '#').startsWith('#'));
    const sum = { text: 0, linked: 0 };
    for (const child of Array.from(node.childNodes)) {
      const weight = walk(child, isLink);
      sum.text += weight.text;
      sum.linked += weight.linked;
    }
    weights.set(node, sum);
    return sum;
  }
  walk(root, false);
  return (node) => weights.get(node) ?? nothing;
}

/** What of it is no link. */
export function ownText({ text, linked }: Weight): number {
  return text - linked;
}

/** From 0, prose, to 1, nothing but links. */
export function linkShare({ text, linked }: Weight): number {
  return text === 0 ? 0 : linked / text;
}

function lettersOf(text: string): number {
  const trimmed = text.replace(/\s+/g, ' ').trim();
  return trimmed.length + (trimmed.match(dense)?.length ?? 0);
}

const leaves = 'p, pre, dd, dt, td, th, li, blockquote, h1, h2, h3, h4, figcaption';
/** Letters from which on a line is more than a label. */
const leastLine = 60;

/** Letters of an element that stand in whole lines of prose, code or tables, and in no list of links; of the lines `of` alone. */
export function proseText(
  element: DomElement,
  weights: Weights,
  of: (line: DomElement) => boolean = () => true,
): number {
  let sum = 0;
  for (const part of element.querySelectorAll(leaves)) {
    const weight = weights(part);
    const isCounted = of(part) && part.querySelector(leaves) === null && linkShare(weight) < 0.5;
    if (isCounted && (weight.text >= leastLine || /^(?:pre|t[dh]|d[dt])$/.test(part.localName))) sum += ownText(weight);
  }
  return sum;
}
