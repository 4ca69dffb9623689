/** The reading order of shapes on a slide: row by row, each from the left. */

export interface Place {
  x: number;
  y: number;
  height: number;
}

/** The shapes in rows. Two shapes are in one row if they overlap by at least half of the smaller height. */
export function inRows<T extends { place: Place | null }>(shapes: readonly T[]): T[] {
  const rows: T[][] = [];
  let top = 0;
  let bottom = 0;
  for (const one of shapes.toSorted((a, b) => (a.place?.y ?? 0) - (b.place?.y ?? 0))) {
    const { y, height } = one.place ?? { y: 0, height: 0 };
    const row = rows.at(-1);
    const shared = Math.min(bottom, y + height) - Math.max(top, y);
    const isBeside = row !== undefined && shared >= Math.min(bottom - top, height) / 2 && (shared > 0 || y === top);
    if (isBeside) {
      row.push(one);
      bottom = Math.min(bottom, y + height);
    } else {
      rows.push([one]);
      bottom = y + height;
    }
    top = y;
  }
  return rows.flatMap((row) => row.toSorted((a, b) => (a.place?.x ?? 0) - (b.place?.x ?? 0)));
}
