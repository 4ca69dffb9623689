/**
 * Prose, lists and listings that the layout parser took for tables: the gaps of their columns are those between words.
 */
import type { LayoutBlock, LayoutCell } from '@llamaindex/liteparse';
import { around, type Box, isMonospaced, type Line } from './lines.ts';

/** Share of a line's height up to which a gap is one between words, also in justified lines. */
const WORD_GAP = 0.5;
/** A table with such gaps in this share of its rows is prose. */
const MIN_PROSE_SHARE = 0.3;
/** A table with fewer filled cells than this share is a drawing. */
const MIN_FILLED_SHARE = 0.3;
/** Share of a line's height above which a gap between lines separates paragraphs. */
const PARAGRAPH_GAP = 0.75;

/** The blocks of a page, with lines in place of false tables. Other tables are without empty rows and columns. */
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

/** True for a table with few filled cells, such as the boxes of a drawing, or with a single column. */
export function isSparse(rows: readonly (readonly string[])[]): boolean {
  const columns = rows.reduce((max, row) => Math.max(max, row.length), 0);
  const filled = rows.flat().filter((text) => text.trim() !== '').length;
  return columns < 2 || (columns > 3 && filled < rows.length * columns * MIN_FILLED_SHARE);
}

function isProse(rows: readonly LayoutCell[][]): boolean {
  const several = rows.map((row) => row.filter(hasText)).filter((row) => row.length > 1);
  const split = several.filter(isSplitBetweenWords).length;
  return split > 0 && split >= several.length * MIN_PROSE_SHARE;
}

/** True where a cell continues in the next one: the gap is one between words, or the parser split a text run. */
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
  // The table's box is only a fallback: its empty cells may overlap other blocks.
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

/** True for text that overlaps the box: a text run may fill several cells. */
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

/** True for a line that starts a paragraph: it is numbered, or has a gap to the line before. */
function begins({ text, box }: Line, before: Line): boolean {
  const gap = box.y - (before.box.y + before.box.height);
  return gap > Math.min(box.height, 14) * PARAGRAPH_GAP || /^(?:\d+(?:\.\d+)+|\d+[.)]|\[\d+\]|[•–-])\s/.test(text);
}

/** Lines as one text; words hyphenated at line ends are joined. */
function joined(lines: readonly string[]): string {
  return lines.reduce((text, line) =>
    /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line) ? `${text.slice(0, -1)}${line}` : `${text} ${line}`,
  );
}
