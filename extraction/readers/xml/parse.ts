/** Parses XML into a plain tree, with limits and without entities of a DOCTYPE. */
import { SaxesParser } from 'saxes';
import { SourceError } from '../../../contract/errors.ts';
import { assertWithin, type Limits } from '../../limits.ts';

export interface XmlElement {
  /** The qualified name, with its prefix: "w:p". */
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlNode[];
}
export type XmlNode = XmlElement | string;

/**
 * The root element of XML bytes or text. Text nodes are unchanged, adjacent ones are joined; comments and processing
 * instructions are left out. With `allowsDoctype`, a DOCTYPE without entity declarations is accepted, and references to
 * unknown entities stay as "&name;".
 * @throws SourceError `file_damaged` for XML that is not well-formed or has a DOCTYPE, `extraction_limit` beyond
 * `nodes`
 * and `nesting`
 */
export function parseXml(
  source: Uint8Array | string,
  limits: Limits,
  { allowsDoctype = false }: { allowsDoctype?: boolean } = {},
): XmlElement {
  const text = typeof source === 'string' ? source : new TextDecoder(encodingOf(source)).decode(source);
  // Namespaces are not resolved, which would take a third more time: nearly all programs write the same prefixes.
  const parser = new SaxesParser({ xmlns: false });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let nodes = 0;
  let failure: Error | undefined;

  function add(node: XmlNode): void {
    assertWithin(limits, 'nodes', ++nodes);
    open.at(-1)?.children.push(node);
  }
  function addText(text: string): void {
    const siblings = open.at(-1)?.children;
    const last = siblings?.at(-1);
    if (siblings !== undefined && typeof last === 'string') siblings[siblings.length - 1] = last + text;
    else add(text);
  }
  parser.on('doctype', (doctype) => {
    if (allowsDoctype && !/<!ENTITY/i.test(doctype)) return;
    throw new SourceError('file_damaged', 'The file declares entities (a DOCTYPE), which is not allowed.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: XmlElement = { name, attributes, children: [] };
    root ??= element;
    add(element);
    open.push(element);
    assertWithin(limits, 'nesting', open.length);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('error', (error) => {
    if (!allowsDoctype || !/undefined entity/.test(error.message)) failure ??= error;
  });
  parser.write(text).close();
  if (failure !== undefined || root === undefined) {
    throw new SourceError('file_damaged', 'A part of the file is not well-formed XML.', { cause: failure });
  }
  return root;
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string';
}

/** The child elements, all or only those of one name. */
export function elementsOf(element: XmlElement | undefined, name?: string): XmlElement[] {
  const elements = (element?.children ?? []).filter(isElement);
  return name === undefined ? elements : elements.filter((child) => child.name === name);
}

/** The first child element of this name; with several names, the element at the end of the path. */
export function childOf(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((parent, name) => elementsOf(parent, name)[0], element);
}

/** All elements of this name below `root`, in document order. */
export function descendantsOf(root: XmlElement | undefined, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const pending: XmlElement[] = elementsOf(root).toReversed();
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    if (element.name === name) found.push(element);
    for (const child of elementsOf(element).toReversed()) pending.push(child);
  }
  return found;
}

/** All text below a node, unchanged. */
export function textOf(node: XmlNode | undefined): string {
  if (node === undefined) return '';
  if (typeof node === 'string') return node;
  let text = '';
  const pending: XmlNode[] = node.children.toReversed();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') text += next;
    else for (const child of next.children.toReversed()) pending.push(child);
  }
  return text;
}
