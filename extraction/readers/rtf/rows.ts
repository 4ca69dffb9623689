/** Table rows of RTF, each with the right edges and merges of its cells. */
import type { Block, Cell } from '../document/blocks.ts';

export interface CellDefinition {
  /** Twips from the margin. */
  right: number;
  continuesLeft: boolean;
  continuesAbove: boolean;
}

export interface Row {
  definitions: CellDefinition[];
  cells: Block[][];
}

/** Edges that are closer than this many twips (half a millimetre) are one. */
const tolerance = 30;

/** The rows of one table, with cells that span the columns of all rows, and the number of merged cells. */
export function tableRows(rows: readonly Row[]): { rows: Cell[][]; merged: number } {
  const edges: number[] = [];
  for (const right of rows
    .flatMap(({ definitions }) => definitions.map((cell) => cell.right))
    .toSorted((a, b) => a - b)) {
    if (right - (edges.at(-1) ?? Number.NEGATIVE_INFINITY) > tolerance) edges.push(right);
  }
  let merged = 0;
  const laidOut = rows.map(({ definitions, cells }) => {
    let column = 0;
    return cells.map((blocks, at): Cell => {
      const definition = definitions[at];
      const end =
        definition === undefined ? column + 1 : Math.max(column + 1, countUpTo(edges, definition.right + tolerance));
      const columns = end - column;
      column = end;
      const continues = definition?.continuesLeft === true || definition?.continuesAbove === true;
      if (continues) merged += 1;
      return { blocks, columns, continues };
    });
  });
  return { rows: laidOut, merged };
}

/** Number of the ascending numbers that are less than or equal to `max`. */
function countUpTo(ascending: readonly number[], max: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= max) low = middle + 1;
    else high = middle;
  }
  return low;
}
