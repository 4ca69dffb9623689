/** Tables that a page draws with lines, and what stands between the lines. */
import type { ParsedPage } from '@llamaindex/liteparse';
import type { Box } from './lines.ts';

export interface RuledTable {
  box: Box;
  /** The first is the header; cells are plain text of one line. */
  rows: string[][];
}

/** Points (1/72 inch) by which what belongs together may lie apart. */
const NEAR = 3;
/** A page with more lines than this is a drawing. */
const MOST_LINES = 2_000;
const THIN = 2.5;

/** A horizontal or vertical line: where it lies across, and from where to where it goes. */
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
  if (lines.length + shapes.length > MOST_LINES) return [];
  const flat = lines.filter(({ y1, y2 }) => Math.abs(y1 - y2) < 1).map(({ x1, x2, y1 }) => ruleOf(y1, x1, x2));
  const upright = lines.filter(({ x1, x2 }) => Math.abs(x1 - x2) < 1).map(({ y1, y2, x1 }) => ruleOf(x1, y1, y2));
  const grids = latticesOf(flat, upright);
  const segments = shapes
    .filter(({ bbox }) => bbox.height <= THIN && bbox.width > 8)
    .map(({ bbox }) => ruleOf(bbox.y, bbox.x, bbox.x + bbox.width));
  const open = grids.length > 0 ? [] : openGridsOf(segments, page);
  return [...grids, ...open]
    .map((grid) => filled(grid, page))
    .filter(({ rows }) => rows.length > 1 && rows[0]?.some((cell) => cell !== '') === true)
    .toSorted((a, b) => a.box.y - b.box.y);
}

const ruleOf = (at: number, one: number, other: number): Rule => ({
  at,
  from: Math.min(one, other),
  to: Math.max(one, other),
});

/** Values in order, those that lie near each other as one. */
function distinct(values: readonly number[]): number[] {
  const kept: number[] = [];
  for (const value of values.toSorted((a, b) => a - b)) {
    if (value - (kept.at(-1) ?? Number.NEGATIVE_INFINITY) > NEAR) kept.push(value);
  }
  return kept;
}

/** Grids of horizontal lines that are crossed by vertical ones. */
function latticesOf(flat: readonly Rule[], upright: readonly Rule[]): Grid[] {
  const left = new Set(upright);
  const grids: Grid[] = [];
  for (const first of upright) {
    if (!left.delete(first)) continue;
    let [top, bottom] = [first.from, first.to];
    const columns = [first];
    const rows = new Set<Rule>();
    for (let grown = true; grown; ) {
      grown = false;
      for (const rule of flat) {
        const crosses = columns.some(({ at }) => at >= rule.from - NEAR && at <= rule.to + NEAR);
        if (rows.has(rule) || !crosses || rule.at < top - NEAR || rule.at > bottom + NEAR) continue;
        rows.add(rule);
        grown = true;
      }
      for (const rule of left) {
        const crosses = [...rows].some(
          (row) =>
            row.at >= rule.from - NEAR &&
            row.at <= rule.to + NEAR &&
            rule.at >= row.from - NEAR &&
            rule.at <= row.to + NEAR,
        );
        if (!crosses) continue;
        left.delete(rule);
        columns.push(rule);
        [top, bottom] = [Math.min(top, rule.from), Math.max(bottom, rule.to)];
        grown = true;
      }
    }
    const grid = { xs: distinct(columns.map(({ at }) => at)), ys: distinct([...rows].map(({ at }) => at)) };
    if (grid.xs.length > 2 && grid.ys.length > 2) grids.push(grid);
  }
  return grids;
}

/** Grids of horizontal lines alone, each drawn cell by cell: where the pieces meet is where the columns do. */
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
      // Nothing is drawn above the header: it is the block that ends at the first line.
      const header = page.blocks?.find(({ bbox }) => {
        if (bbox === undefined || bbox.x < from - NEAR || bbox.x > to) return false;
        const end = bbox.y + bbox.height;
        return bbox.y < top && end > top - 4 * NEAR && end <= top + NEAR;
      });
      return { xs, ys: header?.bbox === undefined ? ys : [header.bbox.y - 1, ...ys] };
    });
}

/** The words of the page in the cells of a grid; rows without any are left out. */
function filled({ xs, ys }: Grid, page: ParsedPage): RuledTable {
  const rows = ys.slice(1).map(() => xs.slice(1).map((): string => ''));
  const indexIn = (bounds: readonly number[], value: number) => bounds.findLastIndex((bound) => bound <= value);
  const words = page.textItems.flatMap((item) => item.words ?? [item]);
  const inOrder = words.toSorted((a, b) => (Math.abs(a.y - b.y) > a.height / 2 ? a.y - b.y : a.x - b.x));
  for (const { text, x, y, width, height } of inOrder) {
    const row = rows[indexIn(ys, y + height / 2)];
    const column = indexIn(xs, x + width / 2);
    const before = row?.[column];
    if (row === undefined || before === undefined || text.trim() === '') continue;
    row[column] = before === '' ? text.trim() : `${before} ${text.trim()}`;
  }
  const [x = 0, y = 0] = [xs[0], ys[0]];
  return {
    box: { x, y, width: (xs.at(-1) ?? 0) - x, height: (ys.at(-1) ?? 0) - y },
    rows: rows.filter((row) => row.some((cell) => cell !== '')),
  };
}
