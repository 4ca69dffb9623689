/** Tables of OpenDocument. */

import { assertWithin } from '../../limits.ts';
import type { Block, Cell } from '../document/blocks.ts';
import { elementsOf, type XmlElement } from '../xml/parse.ts';
import type { Part } from './part.ts';

const rowGroups = ['table:table-header-rows', 'table:table-rows', 'table:table-row-group'];

/**
 * The rows of a table, with repetitions, without empty rows at the end.
 * @throws SourceError `extraction_limit` beyond `cells`
 */
export function readTable(table: XmlElement, part: Part): Block {
  const rows: Cell[][] = [];
  let empty = 0;
  for (const row of rowsOf(table)) {
    const cells = readRow(row, part);
    const times = repeated(row, 'table:number-rows-repeated');
    if (cells.every(({ blocks, continues }) => blocks.length === 0 && !continues)) {
      empty += times;
      continue;
    }
    count(cells.length * (times - 1 + empty), part);
    // Only empty rows between others are kept.
    for (; empty > 0; empty -= 1) rows.push([{ blocks: [], columns: 1, continues: false }]);
    for (let at = 0; at < times; at += 1) rows.push(cells);
  }
  return { kind: 'table', rows };
}

function rowsOf(table: XmlElement): XmlElement[] {
  return elementsOf(table).flatMap((child) => {
    if (child.name === 'table:table-row') return [child];
    return rowGroups.includes(child.name) ? rowsOf(child) : [];
  });
}

function readRow(row: XmlElement, part: Part): Cell[] {
  const cells: Cell[] = [];
  let empty = 0;
  for (const cell of elementsOf(row)) {
    const isCovered = cell.name === 'table:covered-table-cell';
    if (!isCovered && cell.name !== 'table:table-cell') continue;
    const times = repeated(cell, 'table:number-columns-repeated');
    const spans = ['table:number-columns-spanned', 'table:number-rows-spanned'].some(
      (name) => repeated(cell, name) > 1,
    );
    if (spans && !isCovered) part.leftOut.add('merged_cells');
    const blocks = isCovered ? [] : cellBlocks(cell, part);
    if (blocks.length === 0 && !isCovered) {
      empty += times;
      continue;
    }
    count(empty + times, part);
    for (; empty > 0; empty -= 1) cells.push({ blocks: [], columns: 1, continues: false });
    for (let at = 0; at < times; at += 1) cells.push({ blocks, columns: 1, continues: isCovered });
  }
  return cells;
}

/** The visible blocks of a cell. */
function cellBlocks(cell: XmlElement, part: Part): Block[] {
  return part
    .readBlocks(cell, part)
    .filter(
      (block) =>
        block.kind !== 'paragraph' ||
        block.content.some((inline) => inline.kind !== 'text' || inline.text.trim() !== ''),
    );
}

function repeated({ attributes }: XmlElement, name: string): number {
  const times = Number(attributes[name] ?? 1);
  return Number.isSafeInteger(times) && times > 1 ? times : 1;
}

function count(cells: number, part: Part): void {
  part.counted.cells += cells;
  assertWithin(part.limits, 'cells', part.counted.cells);
}
