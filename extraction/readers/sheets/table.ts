/** A block of cells -> Markdown: paragraphs for the text above a table, then its header and rows. */
import { assertWithin, type Limits } from '../../limits.ts';
import { escapeInline, escapeText, tableOf } from '../../markdown/write.ts';
import type { Block } from './blocks.ts';
import type { PlacedCell, SheetCell } from './sheet.ts';

type Row = readonly (PlacedCell | undefined)[];

/** A text in one cell below a table is a note if it is longer than this; a total is shorter. */
const noteLength = 40;

export class TableWriter {
  readonly #limits: Limits;
  readonly #reference: (comments: readonly string[]) => string;
  #cells = 0;

  /** `reference` records a cell's comments and returns their footnote references. */
  constructor(limits: Limits, reference: (comments: readonly string[]) => string) {
    this.#limits = limits;
    this.#reference = reference;
  }

  /**
   * Markdown blocks of a block of cells.
   * @throws SourceError `extraction_limit` beyond `cells`, including empty ones
   */
  write(block: Block): string[] {
    const rows = gridOf(block, (area) => {
      this.#cells += area;
      assertWithin(this.#limits, 'cells', this.#cells);
    });
    const first = rows.findIndex((row) => filled(row).length > 1);
    if (first === -1) return this.#column(rows);
    const last = rows.findLastIndex((row) => filled(row).length > 1 || !isNote(row)) + 1;
    return [
      ...rows.slice(0, first).flatMap((row) => this.#paragraphs(row)),
      this.#table(rows.slice(first, last)),
      ...rows.slice(last).flatMap((row) => this.#paragraphs(row)),
    ];
  }

  /** One column: a table for short entries under a header, else text. */
  #column(rows: Row[]): string[] {
    const cells = rows.flatMap(filled);
    const [top, ...rest] = cells;
    const isList =
      top?.cell.kind === 'text' && rest.length > 1 && cells.every(({ cell }) => cell.text.length <= noteLength);
    if (!isList || new Set(cells.map(({ column }) => column)).size > 1)
      return rows.flatMap((row) => this.#paragraphs(row));
    return [this.#table(rows)];
  }

  #paragraphs(row: Row): string[] {
    return filled(row).map(({ cell }) => {
      const text = escapeText(cell.text.trim());
      return this.#linked(text.replace(/^(\s*)([-+>]|\d+[.)])(?=\s)/, '$1\\$2'), cell);
    });
  }

  #table(rows: Row[]): string {
    const [top = [], ...rest] = rows.map((row) => row.map((placed) => placed?.cell));
    const render = (row: readonly (SheetCell | undefined)[]) =>
      row.map((cell) => (cell === undefined ? '' : this.#linked(escapeInline(cell.text.trim()), cell)));
    return isHeader(top, rest) ? tableOf(render(top), rest.map(render)) : tableOf([], [top, ...rest].map(render));
  }

  #linked(markdown: string, { link, comments }: SheetCell): string {
    const linked = link === null || markdown.trim() === '' ? markdown : linkTo(link, markdown);
    return linked + this.#reference(comments);
  }
}

function linkTo(address: string, markdown: string): string {
  // A visible URL needs no link.
  if (address === markdown || address === `mailto:${markdown}` || /\n/.test(markdown)) return markdown;
  const destination = address.replace(/[\s()<>|\\]/g, (mark) => encodeURIComponent(mark).replace(/[()]/g, percent));
  return `[${markdown}](${destination})`;
}

function percent(mark: string): string {
  return mark === '(' ? '%28' : '%29';
}

/**
 * The rows without empty rows and columns. `checkArea` is called with the number of cells before they are allocated.
 */
function gridOf(block: Block, checkArea: (area: number) => void): Row[] {
  const rows = [...new Set(block.map(({ row }) => row))];
  const columns = [...new Set(block.map(({ column }) => column))].sort((one, other) => one - other);
  checkArea(rows.length * columns.length);
  const rowAt = new Map(rows.map((row, at) => [row, at]));
  const columnAt = new Map(columns.map((column, at) => [column, at]));
  const grid: (PlacedCell | undefined)[][] = rows.map(() => Array.from({ length: columns.length }));
  for (const placed of block) {
    const row = grid[rowAt.get(placed.row) ?? 0];
    if (row !== undefined) row[columnAt.get(placed.column) ?? 0] = placed;
  }
  return grid;
}

function filled(row: Row): PlacedCell[] {
  return row.filter((placed) => placed !== undefined);
}

function isNote(row: Row): boolean {
  const [only] = filled(row);
  return only?.cell.kind === 'text' && (only.cell.text.length > noteLength || /^[*†(]|^\S+:\s/.test(only.cell.text));
}

/**
 * True where the first row is a header: it has words (or years and dates, if the table has several columns of them),
 * fills most columns, and is not the first entry of a list of labels with values.
 */
function isHeader(
  top: readonly (SheetCell | undefined)[],
  rest: readonly (readonly (SheetCell | undefined)[])[],
): boolean {
  const cells = top.filter((cell) => cell !== undefined);
  if (rest.length === 0 || cells.length * 2 < top.length) return false;
  if (!cells.every((cell) => cell.kind === 'text' || (top.length > 2 && isPeriod(cell)))) return false;
  const below = (column: number) => rest.flatMap((row) => row[column] ?? []);
  const isOfPeriods = cells.some(isPeriod);
  if (isOfPeriods) return !below(top.findIndex((cell) => cell !== undefined && isPeriod(cell))).every(isPeriod);
  if (top.length !== 2) return true;
  if (rest.length === 1 && below(1).every((cell) => cell.kind === 'text')) return false;
  const labels = [...cells.slice(0, 1), ...below(0)];
  const kinds = new Set(below(1).map((cell) => cell.kind));
  return labels.filter((cell) => /[:：]$/.test(cell.text.trim())).length * 2 < labels.length && kinds.size < 2;
}

function isPeriod(cell: SheetCell): boolean {
  return cell.kind === 'date' || (cell.kind === 'number' && /^(?:19|20)\d\d$/.test(cell.text));
}
