/** XML data -> Markdown: elements as labels, repeated flat elements as tables. */
import { escapeInline, tableOf } from '../../markdown/write.ts';
import { elementsOf, isElement, textOf, type XmlElement } from '../xml/parse.ts';
import { localName } from './names.ts';

const MAX_COLUMNS = 14;
const MAX_CELL = 300;

/** False for attributes about the file format, such as namespaces. */
function isContentAttribute(name: string): boolean {
  return !/^xmlns(?::|$)|^xml:(?:space|base|lang|id)$|schemaLocation$|^xsi:type$/.test(name);
}

export function attributesOf(element: XmlElement): [string, string][] {
  return Object.entries(element.attributes).filter(([name, value]) => isContentAttribute(name) && value.trim() !== '');
}

export function lineOf(element: XmlElement): string {
  return textOf(element).replace(/\s+/g, ' ').trim();
}

/** True for an element without child elements. */
export function isLeaf(element: XmlElement): boolean {
  return !element.children.some(isElement);
}

/** Text and attributes of a leaf on one line: "12.50 (currency: EUR)". */
export function leafText(element: XmlElement): string {
  const text = lineOf(element);
  const attributes = attributesOf(element).map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ').trim()}`);
  if (text === '') return escapeInline(attributes.join(', '));
  return escapeInline(attributes.length === 0 ? text : `${text} (${attributes.join(', ')})`);
}

/** A table for elements of one name that have only attributes and leaves; else null. */
export function tableOfRecords(elements: readonly XmlElement[]): string | null {
  if (elements.length < 2) return null;
  const columns = new Map<string, true>();
  const records: Map<string, string>[] = [];
  for (const element of elements) {
    const record = new Map<string, string>();
    for (const [name, value] of attributesOf(element))
      record.set(name, escapeInline(value.replace(/\s+/g, ' ').trim()));
    const children = elementsOf(element);
    if (children.length === 0 && lineOf(element) !== '')
      record.set(localName(element.name), escapeInline(lineOf(element)));
    for (const child of children) {
      if (!isLeaf(child)) return null;
      const name = localName(child.name);
      const before = record.get(name);
      const value = leafText(child);
      record.set(name, before === undefined || before === '' ? value : `${before}, ${value}`);
    }
    for (const [name, value] of record) {
      if (value.length > MAX_CELL) return null;
      columns.set(name, true);
    }
    records.push(record);
  }
  const names = [...columns.keys()];
  if (names.length === 0 || names.length > MAX_COLUMNS) return null;
  // One column is better as a list.
  if (names.length === 1) return null;
  return tableOf(
    names.map((name) => escapeInline(name)),
    records.map((record) => names.map((name) => record.get(name) ?? '')),
  );
}
