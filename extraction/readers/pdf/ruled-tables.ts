/** Tables that are drawn with lines. */
import type { ParsedPage } from '@llamaindex/liteparse';
import type { Box } from './lines.ts';
import { isSparse } from './prose-in-tables.ts';

export interface RuledTable {
  box: Box;
  /** The first row is the header; cells are plain text on one line. */
  rows: string[][];
}

/** Tolerance of positions in points (1/72 inch). */
const NEAR = 3;
/** A page with more lines than this is a drawing. */
const MAX_LINES = 1_000;
/** Minimum length in points; shorter lines are parts of letters and drawings. */
const SHORTEST = 5;
const THIN = 2.5;
/** Share of a word's height up to which a gap is one between words. */
const WORD_GAP = 0.5;
/** Share of the rows in which lines may be between words of one cell. */
const CUT_ROWS = 0.3;
/** Share of a word's height from which a gap separates columns. */
const COLUMN_GAP = 1.5;

/** A horizontal or vertical line: its position on the other axis, start and end. */
interface Rule {
  at: number;
  from: number;
  to: number;
}
interface Grid {
  xs: number[];
  ys: number[];
}

/** The tables of a page with at least two columns and two rows, from top to bottom. */
export function ruledTables(page: ParsedPage): RuledTable[] {
  const { lines = [], shapes = [] } = page.vectorGraphics ?? {};
  if (lines.length + shapes.length > MAX_LINES) return [];
  const isLong = ({ from, to }: Rule) => to - from > SHORTEST;
  const flat = lines.filter(({ y1, y2 }) => Math.abs(y1 - y2) < 1).map(({ x1, x2, y1 }) => ruleOf(y1, x1, x2));
  const upright = lines.filter(({ x1, x2 }) => Math.abs(x1 - x2) < 1).map(({ y1, y2, x1 }) => ruleOf(x1, y1, y2));
  const grids = latticesOf(flat.filter(isLong), upright.filter(isLong));
  const segments = shapes
    .filter(({ bbox }) => bbox.height <= THIN && bbox.width > 8)
    .map(({ bbox }) => ruleOf(bbox.y, bbox.x, bbox.x + bbox.width));
  const open = grids.length > 0 ? [] : openGridsOf(segments, page);
  return [...grids, ...open]
    .flatMap((grid) => filled(grid, page) ?? [])
    .filter(({ rows }) => rows.length > 1 && rows[0]?.some((cell) => cell !== '') === true && !isSparse(rows))
    .toSorted((a, b) => a.box.y - b.box.y);
}

const ruleOf = (at: number, one: number, other: number): Rule => ({
  at,
  from: Math.min(one, other),
  to: Math.max(one, other),
});

/** The values in ascending order, with near ones merged. */
function distinct(values: readonly number[]): number[] {
  const kept: number[] = [];
  for (const value of values.toSorted((a, b) => a - b)) {
    if (value - (kept.at(-1) ?? Number.NEGATIVE_INFINITY) > NEAR) kept.push(value);
  }
  return kept;
}

/** Grids of horizontal lines that are crossed by vertical ones. */
function latticesOf(flat: readonly Rule[], upright: readonly Rule[]): Grid[] {
  const left = { rows: new Set(flat), columns: new Set(upright) };
  const grids: Grid[] = [];
  for (const first of upright) {
    if (!left.columns.delete(first)) continue;
    const columns = [first];
    const rows: Rule[] = [];
    const [seen, added] = [
      { rows: 0, columns: 0 },
      { rows, columns },
    ];
    while (seen.rows < rows.length || seen.columns < columns.length) {
      const isRow = seen.rows < rows.length;
      const rule = isRow ? rows[seen.rows++] : columns[seen.columns++];
      const others = isRow ? 'columns' : 'rows';
      for (const other of left[others]) {
        if (rule === undefined || !crosses(rule, other)) continue;
        left[others].delete(other);
        added[others].push(other);
      }
    }
    const grid = {
      xs: distinct([...columns.map(({ at }) => at), ...openEnds(rows)]),
      ys: distinct(rows.map(({ at }) => at)),
    };
    if (grid.xs.length > 2 && grid.ys.length > 2) grids.push(grid);
  }
  return grids;
}

/** Start and end of most rows, since the outer columns may have no outer line. */
function openEnds(rows: readonly Rule[]): number[] {
  const usual = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return rows.length < 3 ? [] : [usual(rows.map(({ from }) => from)), usual(rows.map(({ to }) => to))];
}

/** True for a horizontal and a vertical line that meet. */
function crosses(one: Rule, other: Rule): boolean {
  const holds = ({ from, to }: Rule, at: number) => at >= from - NEAR && at <= to + NEAR;
  return holds(one, other.at) && holds(other, one.at);
}

/** Grids of horizontal lines only, drawn cell by cell: the ends of the pieces are the column borders. */
function openGridsOf(segments: readonly Rule[], page: ParsedPage): Grid[] {
  const byColumns = new Map<string, { xs: number[]; ys: number[] }>();
  for (const at of distinct(segments.map((segment) => segment.at))) {
    const row = segments.filter((segment) => Math.abs(segment.at - at) <= NEAR);
    const xs = distinct(row.flatMap(({ from, to }) => [from, to]));
    if (xs.length < 3 || row.length < xs.length - 1) continue;
    const key = xs.map((x) => Math.round(x / NEAR)).join();
    const known = byColumns.get(key) ?? { xs, ys: [] };
    known.ys.push(at);
    byColumns.set(key, known);
  }
  return [...byColumns.values()]
    .filter(({ ys }) => ys.length > 2)
    .map(({ xs, ys }) => {
      const top = ys[0] ?? 0;
      const [from = 0, to = 0] = [xs[0], xs.at(-1)];
      // There is no line above the header, so it is the block that ends at the first line.
      const header = page.blocks?.find(({ bbox }) => {
        if (bbox === undefined || bbox.x < from - NEAR || bbox.x > to) return false;
        const end = bbox.y + bbox.height;
        return bbox.y < top && end > top - 4 * NEAR && end <= top + NEAR;
      });
      return { xs, ys: header?.bbox === undefined ? ys : [header.bbox.y - 1, ...ys] };
    });
}

/** The grid with the words of the page in its cells; null where lines cross words or cells contain columns. */
function filled({ xs, ys }: Grid, page: ParsedPage): RuledTable | null {
  const cells = ys.slice(1).map(() => xs.slice(1).map((): Word[] => []));
  const indexIn = (bounds: readonly number[], value: number) => bounds.findLastIndex((bound) => bound <= value);
  const words = page.textItems.flatMap((item): Word[] => item.words ?? [item]).filter(({ text }) => text.trim() !== '');
  const inOrder = words.toSorted((a, b) => (Math.abs(a.y - b.y) > a.height / 2 ? a.y - b.y : a.x - b.x));
  let cut = 0;
  let before: { word: Word; cell: Word[] } | undefined;
  for (const word of inOrder) {
    const cell = cells[indexIn(ys, word.y + word.height / 2)]?.[indexIn(xs, word.x + word.width / 2)];
    if (cell === undefined) continue;
    if (before !== undefined && before.cell !== cell && gapOf(before.word, word) < word.height * WORD_GAP) cut += 1;
    cell.push(word);
    before = { word, cell };
  }
  if (cut >= Math.max(1, cells.length * CUT_ROWS) || cells.some((row) => row.some(hasColumns))) return null;
  const [x = 0, y = 0] = [xs[0], ys[0]];
  const rows = cells
    .map((row) => row.map((cell) => cell.map(({ text }) => text.trim()).join(' ')))
    .filter((row) => row.some((cell) => cell !== ''));
  return {
    box: { x, y, width: (xs.at(-1) ?? 0) - x, height: (ys.at(-1) ?? 0) - y },
    rows: rows.map((row) => row.filter((_, column) => rows.some((other) => other[column] !== ''))),
  };
}

type Word = Box & { text: string };

/** Points between two words of one line; infinite for words of different lines. */
function gapOf(before: Word, word: Word): number {
  if (Math.abs(word.y - before.y) > word.height / 2) return Number.POSITIVE_INFINITY;
  return word.x - (before.x + before.width);
}

/** True where several lines of a cell have a gap that separates columns. */
function hasColumns(words: readonly Word[]): boolean {
  const gaps = words.slice(1).map((word, at) => gapOf(words[at] ?? word, word) / word.height);
  return gaps.filter((gap) => gap > COLUMN_GAP && gap < Number.POSITIVE_INFINITY).length >= 3;
}
