/** The blocks of an XML document: sections, paragraphs, lists, tables and data. */
import { append } from '../../append.ts';
import { escapeInline, fenced } from '../../markdown/write.ts';
import { elementsOf, isElement, textOf, type XmlElement, type XmlNode } from '../xml/parse.ts';
import { inlineOf, type Writing } from './inline.ts';
import * as names from './names.ts';
import { attributesOf, isLeaf, leafText, lineOf, tableOfRecords } from './records.ts';
import { markupTable } from './table.ts';

const { localName } = names;

/** Markdown blocks of an element under headings of the given depth. */
export function blocksOf(element: XmlElement, depth: number, writing: Writing): string[] {
  const name = localName(element.name);
  if (names.codes.has(name)) return codeBlock(element);
  if (names.lists.has(name))
    return [...titleOf(element, depth, writing), listOf(element, depth, writing)].filter(isNotEmpty);
  if (names.tables.has(name)) {
    const table = markupTable(element, writing);
    if (table !== null) return [table];
  }
  if (names.quotes.has(name)) return [quoted(contentOf(element, depth, writing))].filter(isNotEmpty);
  if (names.titles.has(name)) return [heading(inlineOf(element.children, writing), depth)].filter(isNotEmpty);
  if (names.pictures.has(name) && lineOf(element) === '') {
    writing.pictures += 1;
    return [];
  }
  if (names.stanzas.has(name)) {
    const lines = elementsOf(element).map((line) => inlineOf(line.children, writing));
    return [lines.filter(isNotEmpty).join('  \n')].filter(isNotEmpty);
  }
  if (isProse(element)) return proseBlocks(element, depth, writing);
  return sectionOf(element, name, depth, writing);
}

function isNotEmpty(block: string): boolean {
  return block.trim() !== '';
}

/** True for an element with mixed content or the name of a paragraph. */
function isProse(element: XmlElement): boolean {
  const mixed = element.children.some((node) => !isElement(node) && node.trim() !== '');
  if (mixed && !isLeaf(element)) return true;
  const name = localName(element.name);
  // A "line" of an order has fields; one of a poem has text.
  return names.paragraphs.has(name) && (isLeaf(element) || /^(?:p|para|simpara|formalpara|sp|note-p)$/.test(name));
}

/** A section with its title as heading; without a title, data with the element's name as heading, or the content. */
function sectionOf(element: XmlElement, name: string, depth: number, writing: Writing): string[] {
  const title = elementsOf(element).find((child) => names.titles.has(localName(child.name)));
  if (names.captioned.has(name)) {
    const isCaption = (child: XmlElement) => /^(?:label|caption|title)$/.test(localName(child.name));
    const caption = elementsOf(element)
      .filter(isCaption)
      .map((child) => inlineOf(child.children, writing))
      .filter(isNotEmpty)
      .join(' ');
    const rest = {
      ...element,
      children: element.children.filter((child) => !isElement(child) || !isCaption(child)),
    };
    return [caption === '' ? '' : `**${caption.replaceAll('**', '')}**`, ...contentOf(rest, depth, writing)].filter(
      isNotEmpty,
    );
  }
  if (holdsText(element)) {
    if (title === undefined) return contentOf(element, depth, writing);
    return [...titleOf(element, depth, writing), ...contentOf(element, depth + 1, writing)];
  }
  if (names.wrappers.has(name)) return contentOf(element, depth, writing);
  if (names.transparent.has(name) && attributesOf(element).length === 0) return contentOf(element, depth, writing);
  return recordOf(element, name, depth, writing);
}

/** Whether the children include paragraphs, or sections with paragraphs. */
function holdsText(element: XmlElement): boolean {
  return elementsOf(element).some((child) => {
    const name = localName(child.name);
    if (isProse(child) || names.lists.has(name) || names.codes.has(name) || names.stanzas.has(name)) return true;
    return elementsOf(child).some((grandchild) => isProse(grandchild) || elementsOf(grandchild).some(isProse));
  });
}

function titleOf(element: XmlElement, depth: number, writing: Writing): string[] {
  const title = elementsOf(element).find((child) => names.titles.has(localName(child.name)));
  const text = title === undefined ? '' : inlineOf(title.children, writing).replace(/\s*\n\s*/g, ' ');
  return text === '' ? [] : [heading(text, depth)];
}

function heading(text: string, depth: number): string {
  if (text === '') return '';
  return depth <= 6 ? `${'#'.repeat(depth)} ${text}` : `**${text}**`;
}

/** Children in order, without the title: blocks as they are, fields as a list, repeated records as a table. */
function contentOf(element: XmlElement, depth: number, writing: Writing): string[] {
  const children = elementsOf(element);
  const title = children.find((child) => names.titles.has(localName(child.name)));
  const blocks: string[] = [];
  for (let at = 0; at < children.length; ) {
    const child = children[at];
    if (child === undefined) break;
    if (child === title) {
      at += 1;
    } else if (isField(child)) {
      const fields = runFrom(children, at, isField);
      blocks.push(fieldList(fields));
      at += fields.length;
    } else {
      const same = runFrom(children, at, ({ name }) => name === child.name);
      const table = isProse(child) ? null : tableOfRecords(same);
      if (table !== null) blocks.push(heading(escapeInline(localName(child.name)), depth), table);
      else for (const each of same) append(blocks, blocksOf(each, depth, writing));
      at += same.length;
    }
  }
  return blocks.filter(isNotEmpty);
}

/** The successive elements from an index on that match. */
function runFrom(
  elements: readonly XmlElement[],
  start: number,
  isOne: (element: XmlElement) => boolean,
): XmlElement[] {
  const run: XmlElement[] = [];
  for (let at = start; at < elements.length; at += 1) {
    const element = elements[at];
    if (element === undefined || !isOne(element)) break;
    run.push(element);
  }
  return run;
}

function isField(element: XmlElement): boolean {
  const name = localName(element.name);
  const isBlock = names.codes.has(name) || names.lists.has(name) || names.titles.has(name) || names.pictures.has(name);
  return isLeaf(element) && !isProse(element) && !isBlock;
}

function fieldList(fields: readonly XmlElement[]): string {
  const lines: { label: string; values: string[] }[] = [];
  for (const field of fields) {
    const value = leafText(field);
    if (value === '') continue;
    const label = localName(field.name);
    const last = lines.at(-1);
    if (last?.label === label && `${last.values.join()}${value}`.length < 200) last.values.push(value);
    else lines.push({ label, values: [value] });
  }
  return lines.map(({ label, values }) => `- **${escapeInline(label)}:** ${values.join(', ')}`).join('\n');
}

/** Data: attributes and fields first, then the children that have children. */
function recordOf(element: XmlElement, name: string, depth: number, writing: Writing): string[] {
  const children = elementsOf(element);
  if (children.length === 0) {
    const value = leafText(element);
    return value === '' ? [] : [`- **${escapeInline(name)}:** ${value}`];
  }
  const attributes = attributesOf(element).map(
    ([label, value]) => `- **${escapeInline(label)}:** ${escapeInline(value.trim())}`,
  );
  const sorted = [...children.filter(isField), ...children.filter((child) => !isField(child))];
  const named = children.find((child) => /^(?:title|name|label)$/i.test(localName(child.name)) && isLeaf(child));
  const label = named === undefined ? '' : lineOf(named);
  const text = label === '' || label.length > 120 ? name : `${name}: ${label}`;
  const [first = '', ...rest] = contentOf({ ...element, children: sorted }, depth + 1, writing);
  const facts = [attributes.join('\n'), first].filter(isNotEmpty);
  if (facts.length === 0 && rest.length === 0) return [];
  const together = first.startsWith('- **') && attributes.length > 0 ? [facts.join('\n')] : facts;
  return [heading(escapeInline(text), depth), ...together, ...rest];
}

/** A paragraph, split at the blocks within it (lists, code). */
function proseBlocks(element: XmlElement, depth: number, writing: Writing): string[] {
  const blocks: string[] = [];
  let line: XmlNode[] = [];
  const end = () => {
    blocks.push(inlineOf(line, writing));
    line = [];
  };
  for (const node of element.children) {
    if (!isElement(node) || isInline(node)) {
      line.push(node);
      continue;
    }
    end();
    append(blocks, blocksOf(node, depth, writing));
  }
  end();
  return blocks.filter(isNotEmpty);
}

function isInline(element: XmlElement): boolean {
  const name = localName(element.name);
  if (names.isInlineName(name)) return true;
  if (names.lists.has(name) || names.codes.has(name) || names.tables.has(name) || names.quotes.has(name)) return false;
  return !names.paragraphs.has(name) && elementsOf(element).every(isInline) && !names.titles.has(name);
}

function listOf(list: XmlElement, depth: number, writing: Writing): string {
  const name = localName(list.name);
  const ordered =
    names.orderedLists.has(name) || /order|number/.test(list.attributes['list-type'] ?? list.attributes.type ?? '');
  let number = 0;
  return elementsOf(list)
    .filter((item) => !names.titles.has(localName(item.name)))
    .flatMap((item) => {
      const [term, body] = termOf(item);
      const blocks =
        isProse(body) || isLeaf(body) ? proseBlocks(body, depth, writing) : itemContent(body, depth, writing);
      const label = term === undefined ? '' : `**${inlineOf(term.children, writing)}**: `;
      const text = label + blocks.join('\n\n');
      if (text.trim() === '') return [];
      number += 1;
      const marker = ordered ? `${number}. ` : '- ';
      return [marker + text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)];
    })
    .join('\n');
}

function itemContent(item: XmlElement, depth: number, writing: Writing): string[] {
  const inner = elementsOf(item);
  return inner
    .flatMap((child) =>
      isLeaf(child) && !names.codes.has(localName(child.name))
        ? [inlineOf(child.children, writing)]
        : blocksOf(child, Math.max(depth, 7), writing),
    )
    .filter(isNotEmpty);
}

/** The term of a glossary item, and the rest of the item. */
function termOf(item: XmlElement): [XmlElement | undefined, XmlElement] {
  if (!names.items.has(localName(item.name))) return [undefined, { ...item, children: [item] }];
  const term = elementsOf(item).find((child) => /^(?:term|glossterm|dt)$/.test(localName(child.name)));
  const isEntry = term !== undefined && !item.children.some((node) => !isElement(node) && node.trim() !== '');
  return isEntry ? [term, { ...item, children: item.children.filter((child) => child !== term) }] : [undefined, item];
}

function codeBlock(element: XmlElement): string[] {
  const code = textOf(element)
    .replace(/^\s*\n/, '')
    .trimEnd();
  const language = element.attributes.language ?? element.attributes.lang ?? element.attributes.outputclass ?? '';
  return code.trim() === '' ? [] : [fenced(code, /^[\w+#.-]{1,30}$/.test(language) ? language.toLowerCase() : '')];
}

function quoted(blocks: readonly string[]): string {
  return blocks
    .join('\n\n')
    .replace(/^(?=.)/gm, '> ')
    .replace(/^$/gm, '>');
}
