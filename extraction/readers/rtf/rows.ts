/** Table rows of RTF: each says its cells' right edges and merges again. */
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

/** The rows of one table, their cells over the columns of all rows, and how many cells are merged. */
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

/** How many of the ascending numbers are at most `most`. */
function countUpTo(ascending: readonly number[], most: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
