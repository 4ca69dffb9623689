/** Prose, lists and listings that the layout parser took for tables: its columns are parted by no more than words are. */
import type { LayoutBlock, LayoutCell } from '@llamaindex/liteparse';
import { around, isMonospaced, type Line, liesIn } from './lines.ts';

/** Share of a line's height up to which a gap is one between words, in justified lines too. */
const WORD_GAP = 0.5;
/** Share of the rows of a table that have such a gap. */
const ENOUGH = 0.3;
/** Share of a line's height beyond which a gap between lines parts paragraphs. */
const PARAGRAPH_GAP = 0.75;

/** The blocks of a page; tables that are none are what their lines show. */
export function withProse(blocks: readonly LayoutBlock[], lines: readonly Line[]): LayoutBlock[] {
  return blocks.flatMap((block) => (isNoTable(block) ? linesAsBlocks(block, lines) : [block]));
}

function isNoTable({ kind, header = [], rows = [] }: LayoutBlock): boolean {
  if (kind !== 'table') return false;
  const all = [header, ...rows]
    .map((row) => row.filter(({ text }) => text.trim() !== ''))
    .filter((row) => row.length > 1);
  const split = all.filter(isSplitBetweenWords).length;
  return split > 0 && split >= all.length * ENOUGH;
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
  const { bbox } = table;
  if (bbox === undefined) return [table];
  const within = lines.flatMap(({ items }) => {
    const inside = items.filter((item) => liesIn(item, { ...bbox, y: bbox.y - 1, height: bbox.height + 2 }));
    return inside.length === 0 ? [] : [{ items: inside, box: around(inside), text: textOf(inside) }];
  });
  if (within.length === 0) return [table];
  if (isListing(within)) return [{ kind: 'code', lines: within.map(({ text }) => text), bbox }];
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
