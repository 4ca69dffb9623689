/** Prose, lists and listings that the layout parser took for tables: its columns are parted by no more than words are. */
import type { LayoutBlock, LayoutCell } from '@llamaindex/liteparse';
import { around, type Box, isMonospaced, type Line } from './lines.ts';

/** Share of a line's height up to which a gap is one between words, in justified lines too. */
const WORD_GAP = 0.5;
/** Share of the rows of a table that have such a gap. */
const ENOUGH = 0.3;
/** Share of the cells that a drawing's boxes fill at most. */
const FULLEST_DRAWING = 0.3;
/** Share of a line's height beyond which a gap between lines parts paragraphs. */
const PARAGRAPH_GAP = 0.75;

/** The blocks of a page; tables that are none are what their lines show, the others are without empty rows and columns. */
export function withProse(blocks: readonly LayoutBlock[], lines: readonly Line[]): LayoutBlock[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'table') return [block];
    const table = [block.header ?? [], ...(block.rows ?? [])].filter((row) => row.some(hasText));
    const kept = (table[0] ?? []).map((_, column) => table.some((row) => hasText(row[column])));
    const rows = table.map((row) => row.filter((__, column) => kept[column] !== false));
    if (isSparse(rows.map((row) => row.map(({ text }) => text))) || isProse(rows)) return linesAsBlocks(block, lines);
    const [header = [], ...rest] = rows;
    return [{ ...block, header, rows: rest }];
  });
}

const hasText = (cell: LayoutCell | undefined) => cell !== undefined && cell.text.trim() !== '';

/** True for a table of which nearly all is empty, as the boxes of a drawing make it, or that has a single column. */
export function isSparse(rows: readonly (readonly string[])[]): boolean {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = rows.flat().filter((text) => text.trim() !== '').length;
  return columns < 2 || (columns > 3 && filled < rows.length * columns * FULLEST_DRAWING);
}

function isProse(rows: readonly LayoutCell[][]): boolean {
  const several = rows.map((row) => row.filter(hasText)).filter((row) => row.length > 1);
  const split = several.filter(isSplitBetweenWords).length;
  return split > 0 && split >= several.length * ENOUGH;
}

/** True where a cell goes on in the next: no more room than a word's is left, or the parser itself cut it. */
function isSplitBetweenWords(row: readonly LayoutCell[]): boolean {
  return row.some(({ bbox }, at) => {
    const next = row[at + 1];
    if (next === undefined) return false;
    if (bbox === undefined || next.bbox === undefined) return true;
    const gap = next.bbox.x - (bbox.x + bbox.width);
    return gap < Math.min(bbox.height, next.bbox.height, 14) * WORD_GAP;
  });
}

function linesAsBlocks(table: LayoutBlock, lines: readonly Line[]): LayoutBlock[] {
  const cells = [table.header ?? [], ...(table.rows ?? [])].flat().filter(hasText);
  const boxes = cells.flatMap(({ bbox }) => (bbox === undefined ? [] : [bbox]));
  // Empty cells may reach over other blocks.
  const region = boxes.length > 0 ? around(boxes) : table.bbox;
  if (region === undefined) return [table];
  const within = lines.flatMap(({ items }) => {
    const inside = items.filter((item) => reaches(item, region));
    return inside.length === 0 ? [] : [{ items: inside, box: around(inside), text: textOf(inside) }];
  });
  if (within.length === 0) return [table];
  if (isListing(within)) return [{ kind: 'code', lines: within.map(({ text }) => text), bbox: region }];
  const paragraphs: Line[][] = [];
  for (const line of within) {
    const before = paragraphs.at(-1)?.at(-1);
    if (before === undefined || begins(line, before)) paragraphs.push([line]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.map((paragraph) => ({
    kind: 'paragraph',
    text: joined(paragraph.map(({ text }) => text)),
    bbox: around(paragraph.map(({ box }) => box)),
  }));
}

/** True for text on a line of the box that stands over a part of it: a run of text may fill several cells. */
function reaches(item: Box, box: Box): boolean {
  const y = item.y + item.height / 2;
  return y >= box.y - 1 && y <= box.y + box.height + 1 && item.x < box.x + box.width && box.x < item.x + item.width;
}

const textOf = (items: Line['items']) =>
  items
    .map((item) => item.text.trim())
    .join(' ')
    .replace(/\s+/g, ' ');

function isListing(lines: readonly Line[]): boolean {
  const items = lines.flatMap((line) => line.items);
  return items.filter(isMonospaced).length > items.length * 0.5;
}

/** A line that is numbered, or that stands off the one before. */
function begins({ text, box }: Line, before: Line): boolean {
  const gap = box.y - (before.box.y + before.box.height);
  return gap > Math.min(box.height, 14) * PARAGRAPH_GAP || /^(?:\d+(?:\.\d+)+|\d+[.)]|\[\d+\]|[•–-])\s/.test(text);
}

/** Lines as one text; a word that was parted at a line's end is whole again. */
function joined(lines: readonly string[]): string {
  return lines.reduce((text, line) =>
    /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line) ? `${text.slice(0, -1)}${line}` : `${text} ${line}`,
  );
}
