/**
 * The part of the DOM that HTML conversion uses, as linkedom offers it. The compiler's own DOM types would declare a
 * browser's globals for the whole server.
 */
import { parseHTML } from 'linkedom';

export interface DomNode {
  nodeName: string;
  textContent: string | null;
  parentNode: DomNode | null;
  parentElement: DomElement | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  previousSibling: DomNode | null;
  childNodes: ArrayLike<DomNode>;
}

export interface DomElement extends DomNode {
  localName: string;
  innerHTML: string;
  children: ArrayLike<DomElement>;
  nextElementSibling: DomElement | null;
  previousElementSibling: DomElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  closest(selector: string): DomElement | null;
  matches(selector: string): boolean;
  contains(node: DomNode): boolean;
  append(...nodes: DomNode[]): void;
  prepend(...nodes: DomNode[]): void;
  replaceChildren(...nodes: DomNode[]): void;
  replaceWith(...nodes: DomNode[]): void;
  remove(): void;
}

export interface DomDocument extends Pick<DomElement, 'querySelector' | 'querySelectorAll'> {
  documentElement: DomElement | null;
  body: DomElement;
  createTextNode(text: string): DomNode;
  createElement(name: string): DomElement;
  cloneNode(deep: boolean): DomDocument;
}

/** The document of a whole page's HTML, which must be bounded already. */
export function parseDocument(html: string): DomDocument {
  const { document } = parseHTML(html);
  // The parser ends a text at each entity; escaping has to see "<" and "tag" together.
  document.documentElement?.normalize();
  return document;
}

/** True for the nodes that have attributes and children. */
export function isElement(node: DomNode | null | undefined): node is DomElement {
  return (
    node !== null && node !== undefined && 'localName' in node && 'children' in node && !node.nodeName.startsWith('#')
  );
}

/** The text of a node on one line. */
export function lineOf(node: DomNode | null | undefined): string {
  return (node?.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** True when the text of a node on one line has more than `most` letters. Looks at no more of the text than that. */
export function isLongerThan(node: DomNode, most: number): boolean {
  let letters = 0;
  let isParted = false;
  for (let next: DomNode | null = node; next !== null; next = following(next, node)) {
    if (next.nodeName !== '#text') continue;
    const text = next.textContent ?? '';
    const line = text.replace(/\s+/g, ' ').trim();
    if (line !== '' && letters > 0 && (isParted || /^\s/.test(text))) letters += 1;
    letters += line.length;
    isParted = /\s$/.test(text.slice(-1)) || (isParted && line === '');
    if (letters > most) return true;
  }
  return false;
}

/** The node after `node` in the order of the document, within `root`; asks for no list of children. */
function following(node: DomNode, root: DomNode): DomNode | null {
  if (isElement(node) && node.firstChild !== null) return node.firstChild;
  for (let at: DomNode | null = node; at !== null && at !== root; at = at.parentNode) {
    if (at.nextSibling !== null) return at.nextSibling;
  }
  return null;
}
