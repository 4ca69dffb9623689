/** Tables of RTF that are open, each but the first within a cell of the one before it. */
import { append } from '../../append.ts';
import type { Block } from '../document/blocks.ts';
import { type CellDefinition, type Row, tableRows } from './rows.ts';

interface OpenTable {
  /** Blocks of the cell that is open. */
  cell: Block[];
  row: Block[][];
  rows: Row[];
}

/** Hears of the cells that a table turns out to have beyond those that were ended, and of the merged ones among all. */
export type TableJudge = (more: number, merged: number) => void;

export class OpenTables {
  readonly #judge: TableJudge;
  /** Outermost first. */
  #tables: OpenTable[] = [];

  constructor(judge: TableJudge) {
    this.#judge = judge;
  }

  /** Puts blocks where they stand, `depth` tables deep. Returns what stands in no table (any more). */
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

  /** Ends the tables that lie deeper. Returns the outermost where that is among them. */
  closeBeyond(depth: number): Block[] {
    let closed: Block[] = [];
    while (this.#tables.length > depth) {
      const table = this.#tables.pop();
      if (table === undefined) break;
      closed = [...blocksOf(table, this.#judge)];
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

function* blocksOf({ cell, row, rows }: OpenTable, judge: TableJudge): Generator<Block> {
  // A file that breaks off within a row has said nothing of its cells.
  const all = row.length > 0 ? [...rows, { definitions: [], cells: row }] : rows;
  if (all.length > 0) {
    const table = tableRows(all);
    const spanned = table.rows.flat().reduce((sum, { columns }) => sum + columns - 1, 0);
    judge(spanned, table.merged);
    yield { kind: 'table', rows: table.rows };
  }
  yield* cell;
}
