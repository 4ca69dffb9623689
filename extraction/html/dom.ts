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
  nextSibling: DomNode | null;
  childNodes: ArrayLike<DomNode>;
}

export interface DomElement extends DomNode {
  localName: string;
  innerHTML: string;
  children: ArrayLike<DomElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  closest(selector: string): DomElement | null;
  matches(selector: string): boolean;
  replaceWith(...nodes: DomNode[]): void;
  remove(): void;
}

export interface DomDocument extends Pick<DomElement, 'querySelector' | 'querySelectorAll'> {
  documentElement: DomElement | null;
  body: DomElement;
  createTextNode(text: string): DomNode;
}

/** The document of a whole page's HTML, which must be bounded already. */
export function parseDocument(html: string): DomDocument {
  const { document } = parseHTML(html);
  // The parser ends a text at each entity; escaping has to see "<" and "tag" together.
  document.documentElement?.normalize();
  return document;
}
