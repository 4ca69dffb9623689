/** The headings, paragraphs, lists and tables of an OpenDocument text. */

import { append } from '../../append.ts';
import { type Block, type Inline, isVisible, labelText, plain } from '../document/blocks.ts';
import { codeBlock, isCode } from '../document/code.ts';
import { elementsOf, type XmlElement } from '../xml/parse.ts';
import { isFrame, readFrame } from './frame.ts';
import { readContent } from './inline.ts';
import { labelOf } from './numbering.ts';
import type { Part } from './part.ts';
import { readTable } from './table.ts';

interface ListPlace {
  style: string | null;
  /** Counts from 1. */
  level: number;
  counts: number[];
}

/** The blocks of a text, section, cell, text box or note. */
export function readBlocks(container: XmlElement, part: Part): Block[] {
  const blocks: Block[] = [];
  for (const element of elementsOf(container)) readBlock(element, blocks, part);
  return blocks;
}

const indexes = /^text:(?:table-of-content|illustration-index|table-index|object-index|user-index|alphabetical-index)$/;

function readBlock(element: XmlElement, blocks: Block[], part: Part): void {
  switch (element.name) {
    case 'text:h':
      addHeading(element, blocks, part);
      break;
    case 'text:p':
      addParagraph(element, blocks, part);
      break;
    case 'text:list':
      addList(element, blocks, part, null);
      break;
    case 'table:table':
      blocks.push(readTable(element, part));
      break;
    case 'text:soft-page-break':
      blocks.push({ kind: 'paragraph', content: [{ kind: 'page', hard: false }] });
      break;
    case 'text:section':
    case 'text:index-body':
    case 'text:bibliography':
      for (const child of elementsOf(element)) readBlock(child, blocks, part);
      break;
    case 'text:tracked-changes':
      countChanges(element, part);
      break;
    case 'office:annotation':
      part.leftOut.add('comments');
      break;
    default:
      if (indexes.test(element.name)) part.leftOut.add('table_of_contents');
      else if (isFrame(element)) {
        const { inlines, blocks: inner } = readFrame(element, part);
        if (inlines.length > 0) blocks.push({ kind: 'paragraph', content: inlines });
        append(blocks, inner);
      }
  }
}

/** Counts tracked changes. Deleted text is only stored here; inserted text is in the body. */
function countChanges(changes: XmlElement, part: Part): void {
  const kinds = elementsOf(changes).flatMap((region) => elementsOf(region));
  part.leftOut.add('tracked_deletions', kinds.filter(({ name }) => name === 'text:deletion').length);
  part.leftOut.add('tracked_insertions', kinds.filter(({ name }) => name === 'text:insertion').length);
}

function addHeading(element: XmlElement, blocks: Block[], part: Part, label = ''): void {
  const level = Math.min(10, Math.max(1, Number(element.attributes['text:outline-level'] ?? 1) || 1));
  const { inlines, anchored } = withBreaks(element, part);
  if (!inlines.some(isVisible)) {
    append(blocks, [{ kind: 'paragraph', content: inlines }, ...anchored]);
    return;
  }
  const number = label === '' ? outlineNumber(element, level, part) : label;
  const content = number === '' ? inlines : [plain(`${number} `), ...inlines];
  append(blocks, [{ kind: 'heading', level, content }, ...anchored]);
}

/** The outline number of a heading. */
function outlineNumber(element: XmlElement, level: number, part: Part): string {
  if (element.attributes['text:is-list-header'] === 'true') return '';
  const { outline, styles } = part;
  outline.length = Math.min(outline.length, level);
  for (let at = 0; at < level; at += 1) outline[at] ??= 0;
  outline[level - 1] = (outline[level - 1] ?? 0) + 1;
  const label = labelOf(styles.outline(level), outline, styles.outline);
  return labelText(label);
}

function addParagraph(element: XmlElement, blocks: Block[], part: Part): void {
  const { role } = part.styles.paragraph(element.attributes['text:style-name']);
  const { inlines, anchored } = withBreaks(element, part);
  if (role === 'rule' && !inlines.some(isVisible)) blocks.push({ kind: 'rule' });
  else if (role === 'title' && inlines.some(isVisible)) blocks.push({ kind: 'heading', level: 0, content: inlines });
  else if (isCode(role, inlines)) blocks.push(codeBlock(inlines));
  else if (role === 'quote' && inlines.some(isVisible))
    blocks.push({ kind: 'quote', blocks: [{ kind: 'paragraph', content: inlines }] });
  else blocks.push({ kind: 'paragraph', content: inlines });
  append(blocks, anchored);
}

/** The content of a paragraph, with the page breaks of its style before or after it. */
function withBreaks(element: XmlElement, part: Part): { inlines: Inline[]; anchored: Block[] } {
  const style = part.styles.paragraph(element.attributes['text:style-name']);
  const { inlines, anchored } = readContent(element, part, style.marks);
  const begin: Inline[] = style.breaksBefore ? [{ kind: 'page', hard: false }] : [];
  const end: Block[] = style.breaksAfter ? [{ kind: 'paragraph', content: [{ kind: 'page', hard: false }] }] : [];
  return { inlines: [...begin, ...inlines], anchored: [...anchored, ...end] };
}

/** Adds the items of a list and of nested lists. */
function addList(list: XmlElement, blocks: Block[], part: Part, above: ListPlace | null): void {
  const style = list.attributes['text:style-name'] ?? above?.style ?? null;
  const level = (above?.level ?? 0) + 1;
  const continuesCount =
    list.attributes['text:continue-numbering'] === 'true' || list.attributes['text:continue-list'] !== undefined;
  const definition = part.styles.list(style, level);
  const last = continuesCount ? part.lists.get(`${style} ${level}`) : undefined;
  const place: ListPlace = { style, level, counts: last ?? [...(above?.counts ?? []), (definition?.start ?? 1) - 1] };
  for (const item of elementsOf(list)) {
    if (item.name === 'text:soft-page-break') readBlock(item, blocks, part);
    if (item.name === 'text:list-item' || item.name === 'text:list-header') addItem(item, blocks, part, place);
  }
  part.lists.set(`${style} ${level}`, place.counts);
}

function addItem(item: XmlElement, blocks: Block[], part: Part, place: ListPlace): void {
  const { style, level } = place;
  let isFirst = item.name === 'text:list-item';
  for (const element of elementsOf(item)) {
    if (element.name === 'text:list') {
      addList(element, blocks, part, place);
      continue;
    }
    if (element.name !== 'text:p' && element.name !== 'text:h') {
      readBlock(element, blocks, part);
      continue;
    }
    if (isFirst) {
      const start = Number(item.attributes['text:start-value'] ?? Number.NaN);
      const at = place.counts.length - 1;
      place.counts[at] = Number.isSafeInteger(start) ? start : (place.counts[at] ?? 0) + 1;
    }
    // Where the list has no style, the paragraph's style may refer to one.
    const own = style ?? part.styles.paragraph(element.attributes['text:style-name']).listStyle;
    const label = labelOf(part.styles.list(own, level), place.counts, (above) => part.styles.list(own, above));
    if (element.name === 'text:h') {
      addHeading(element, blocks, part, labelText(label));
    } else {
      const { inlines, anchored } = withBreaks(element, part);
      if (isFirst) blocks.push({ kind: 'item', level: level - 1, label, content: inlines });
      else if (isCode('', inlines)) blocks.push({ ...codeBlock(inlines), within: level - 1 });
      else blocks.push({ kind: 'paragraph', content: inlines, within: level - 1 });
      append(blocks, anchored);
    }
    isFirst = false;
  }
}
