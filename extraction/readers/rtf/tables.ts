/** The open tables of an RTF document, each nested in a cell of the one before. */
import { append } from '../../append.ts';
import type { Block } from '../document/blocks.ts';
import { type CellDefinition, type Row, tableRows } from './rows.ts';

interface OpenTable {
  /** Blocks of the open cell. */
  cell: Block[];
  row: Block[][];
  rows: Row[];
}

/** Called at the end of a table with its cells beyond those already counted, and its merged cells. */
export type CountCells = (more: number, merged: number) => void;

export class OpenTables {
  readonly #countCells: CountCells;
  /** Outermost first. */
  #tables: OpenTable[] = [];

  constructor(countCells: CountCells) {
    this.#countCells = countCells;
  }

  /** Adds blocks to the cell at `depth` nested tables. Returns the blocks, and closed tables, that are in no table. */
  place(blocks: readonly Block[], depth: number): Block[] {
    // An empty paragraph between two rows does not end their table.
    if (blocks.length === 0) return [];
    const closed = this.closeBeyond(depth);
    if (depth === 0) return [...closed, ...blocks];
    append(this.#at(depth).cell, blocks);
    return closed;
  }

  endCell(depth: number): void {
    this.closeBeyond(depth);
    const table = this.#at(depth);
    table.row.push(table.cell);
    table.cell = [];
  }

  endRow(depth: number, definitions: readonly CellDefinition[]): void {
    this.closeBeyond(depth);
    const table = this.#at(depth);
    if (table.row.length > 0) table.rows.push({ definitions: [...definitions], cells: table.row });
    table.row = [];
  }

  /** Ends the tables that are nested deeper. Returns the outermost table if it is one of them. */
  closeBeyond(depth: number): Block[] {
    let closed: Block[] = [];
    while (this.#tables.length > depth) {
      const table = this.#tables.pop();
      if (table === undefined) break;
      closed = [...blocksOf(table, this.#countCells)];
      const around = this.#tables.at(-1);
      if (around !== undefined) append(around.cell, closed);
    }
    return this.#tables.length === 0 ? closed : [];
  }

  #at(depth: number): OpenTable {
    while (this.#tables.length < depth) this.#tables.push({ cell: [], row: [], rows: [] });
    return this.#tables[depth - 1] ?? { cell: [], row: [], rows: [] };
  }
}

function* blocksOf({ cell, row, rows }: OpenTable, countCells: CountCells): Generator<Block> {
  // A file that ends within a row has no definitions of its cells.
  const all = row.length > 0 ? [...rows, { definitions: [], cells: row }] : rows;
  if (all.length > 0) {
    const table = tableRows(all);
    const spanned = table.rows.flat().reduce((sum, { columns }) => sum + columns - 1, 0);
    countCells(spanned, table.merged);
    yield { kind: 'table', rows: table.rows };
  }
  yield* cell;
}
