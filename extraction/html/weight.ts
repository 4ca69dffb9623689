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
