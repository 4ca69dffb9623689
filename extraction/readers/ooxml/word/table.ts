/** Tables of Word. */

import { assertWithin } from '../../../limits.ts';
import type { Block, Cell } from '../../document/blocks.ts';
import { childOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import type { WordPart } from './part.ts';
import { numberOf } from './styles.ts';

/** The rows of a `w:tbl`, without tracked deletions. @throws SourceError `extraction_limit` beyond `cells` */
export function readTable(table: XmlElement, part: WordPart): Block {
  const rows: Cell[][] = [];
  for (const row of unwrapped(table, 'w:tr')) {
    const properties = childOf(row, 'w:trPr');
    if (childOf(properties, 'w:del') !== undefined) {
      part.leftOut.add('tracked_deletions');
      continue;
    }
    if (childOf(properties, 'w:ins') !== undefined) part.leftOut.add('tracked_insertions');
    rows.push([
      ...gap(numberOf(childOf(properties, 'w:gridBefore')) ?? 0, part),
      ...unwrapped(row, 'w:tc').map((cell) => readCell(cell, part)),
      ...gap(numberOf(childOf(properties, 'w:gridAfter')) ?? 0, part),
    ]);
  }
  return { kind: 'table', rows };
}

function readCell(cell: XmlElement, part: WordPart): Cell {
  const properties = childOf(cell, 'w:tcPr');
  const columns = Math.max(1, numberOf(childOf(properties, 'w:gridSpan')) ?? 1);
  count(columns, part);
  const merge = childOf(properties, 'w:vMerge');
  const continues = merge !== undefined && merge.attributes['w:val'] !== 'restart';
  if ((columns > 1 && !continues) || merge?.attributes['w:val'] === 'restart') part.leftOut.add('merged_cells');
  return { blocks: part.readBlocks(cell, part), columns, continues };
}

/** Empty columns at the start or end of a row. */
function gap(columns: number, part: WordPart): Cell[] {
  if (columns === 0) return [];
  count(columns, part);
  return [{ blocks: [], columns, continues: true }];
}

function count(columns: number, part: WordPart): void {
  part.counted.cells += columns;
  assertWithin(part.limits, 'cells', part.counted.cells);
}

/** Children of this name, including those within content controls. */
function unwrapped(parent: XmlElement, name: string): XmlElement[] {
  return elementsOf(parent).flatMap((child) => {
    if (child.name === name) return [child];
    if (['w:sdt', 'w:sdtContent', 'w:customXml', 'w:ins'].includes(child.name)) return unwrapped(child, name);
    return [];
  });
}
