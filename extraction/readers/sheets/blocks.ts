/** Finds the tables of a sheet, which are separated by empty rows and columns. */
import type { CellRange, PlacedCell, Sheet } from './sheet.ts';

/** Cells that belong together, in order of rows, then columns. */
export type Block = readonly PlacedCell[];

/** Limit of recursive cuts; bounds the time for hostile sheets. */
const maxCuts = 8;
/** A sheet with more column gaps is one sparse table. */
const maxGaps = 32;

/** The cells in order, without those covered by merged cells, which may have invisible values. */
export function visibleCells({ cells, merges }: Sheet): PlacedCell[] {
  const remaining = merges.toSorted((one, other) => other.top - one.top);
  let active: CellRange[] = [];
  let row = -1;
  return cells.filter((cell) => {
    if (cell.row !== row) {
      row = cell.row;
      active = active.filter(({ bottom }) => bottom >= row);
      for (let next = remaining.at(-1); next !== undefined && next.top <= row; next = remaining.at(-1)) {
        remaining.pop();
        if (next.bottom >= row) active.push(next);
      }
    }
    return !active.some(
      ({ top, left, right }) => cell.column >= left && cell.column <= right && (row !== top || cell.column !== left),
    );
  });
}

/**
 * The blocks of a sheet in reading order: from top to bottom, and from left to right where they are beside each other.
 */
export function blocksOf(cells: Block): Block[] {
  return cut(cells, 0);
}

function cut(cells: Block, depth: number): Block[] {
  if (depth >= maxCuts || cells.length <= 1) return cells.length === 0 ? [] : [cells];
  const bands = joinContinued(cutRows(cells));
  if (bands.length > 1) return bands.flatMap((band) => cut(band, depth + 1));
  const columns = cutColumns(cells);
  if (columns.length > 1) return columns.flatMap((column) => cut(column, depth + 1));
  return [cells];
}

function cutRows(cells: Block): Block[] {
  const bands: PlacedCell[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const cell of cells) {
    if (cell.row > last + 1) bands.push([]);
    bands.at(-1)?.push(cell);
    last = cell.row;
  }
  return bands;
}

/** Joins groups of one table that an empty row separates: those in the same columns without a header. */
function joinContinued(bands: Block[]): Block[] {
  const joined: { cells: PlacedCell[]; columns: ReadonlySet<number> }[] = [];
  let above: Block = [];
  for (const band of bands) {
    const last = joined.at(-1);
    // A band that continues a table has no further columns, so the columns of the first band are those of all.
    if (last !== undefined && continues(above, last.columns, band)) for (const cell of band) last.cells.push(cell);
    else joined.push({ cells: [...band], columns: columnsOf(band) });
    above = band;
  }
  return joined.map(({ cells }) => cells);
}

function continues(before: Block, above: ReadonlySet<number>, band: Block): boolean {
  const first = band[0];
  const last = before.at(-1);
  if (first === undefined || last === undefined || first.row - last.row > 2) return false;
  const below = columnsOf(band);
  if (above.size < 3 || below.size < 2 || [...below].some((column) => !above.has(column))) return false;
  const firstRow = band.filter(({ row }) => row === first.row);
  const lastRow = before.filter(({ row }) => row === last.row);
  const numbers = (row: Block) => row.some(({ cell }) => cell.kind === 'number');
  return firstRow.length > 1 && numbers(firstRow) && numbers(lastRow);
}

function columnsOf(cells: Block): Set<number> {
  return new Set(cells.map(({ column }) => column));
}

/**
 * Cuts at empty columns where both sides are tables with a header, or share less than half of their rows. A label and
 * its number two columns to the right stay together.
 */
function cutColumns(cells: Block): Block[] {
  const columns = [...columnsOf(cells)].sort((one, other) => one - other);
  const gaps = columns.flatMap((column, at) => {
    const next = columns[at + 1] ?? column + 1;
    return next === column + 1 ? [] : [{ column, next }];
  });
  if (gaps.length > maxGaps) return [cells];
  for (const { column, next } of gaps) {
    const left = cells.filter((cell) => cell.column <= column);
    const right = cells.filter((cell) => cell.column >= next);
    if ((isTable(left) && isTable(right)) || sharedRows(left, right) < 0.5) return [left, ...cutColumns(right)];
  }
  return [cells];
}

/** True for cells with title rows of one cell (if any), a header of words in all columns, and more rows. */
function isTable(cells: Block): boolean {
  const rows = [...Map.groupBy(cells, ({ row }) => row).values()];
  const header = rows.findIndex((row) => row.length > 1);
  const width = columnsOf(cells).size;
  return width >= 2 && header < rows.length - 1 && rows[header]?.length === width && rows[header].every(isWord);
}

function isWord({ cell }: PlacedCell): boolean {
  return cell.kind === 'text';
}

/** Number of shared rows divided by the number of rows of the side with fewer rows. */
function sharedRows(left: Block, right: Block): number {
  const one = new Set(left.map(({ row }) => row));
  const other = new Set(right.map(({ row }) => row));
  const shared = [...one].filter((row) => other.has(row)).length;
  return shared / Math.min(one.size, other.size);
}
