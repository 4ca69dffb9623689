/** Sheets of a workbook as the readers of spreadsheet formats hand them to the writer of Markdown. */

export interface SheetCell {
  kind: 'text' | 'number' | 'date' | 'boolean' | 'error';
  /** As the sheet shows it; dates in ISO 8601. */
  text: string;
  /** Where a link on the cell leads to outside of the workbook. */
  link: string | null;
  comments: readonly string[];
}

/** Row and column count from 0. */
export interface PlacedCell {
  row: number;
  column: number;
  cell: SheetCell;
}

/** Rows and columns from 0, both ends included. */
export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface Sheet {
  name: string;
  hidden: boolean;
  /** Those that hold anything, in order of rows, then columns. */
  cells: readonly PlacedCell[];
  merges: readonly CellRange[];
  /** Rows and columns that the sheet hides although they hold something. */
  hiddenRows: number;
  hiddenColumns: number;
  /** What floats above the cells. */
  drawings: Drawings;
}

export interface Drawings {
  /** One for each chart; empty where it has none. */
  chartTitles: readonly string[];
  /** Text of boxes and shapes. */
  texts: readonly string[];
  /** One for each image; empty where it has no description. */
  imageTexts: readonly string[];
}

export const noDrawings: Drawings = { chartTitles: [], texts: [], imageTexts: [] };

export interface Workbook {
  title: string | null;
  author: string | null;
  /** ISO 8601 */
  changedAt: string | null;
  sheets: readonly Sheet[];
  /** Cells with a formula that no program has computed yet; they show the formula. */
  uncomputed: number;
}

/** Excel begins the text of a comment with its author's name; others keep the two apart. */
export function commentText(author: string | undefined, text: string): string {
  const said = text.replace(/\r\n?/g, '\n').trim();
  const name = author?.trim() ?? '';
  if (name === '' || said.startsWith(`${name}:`)) return said;
  return said === '' ? '' : `${name}: ${said}`;
}

/** An address that a reader elsewhere can open, or null. */
export function webAddress(target: string | undefined): string | null {
  return target !== undefined && /^(?:https?|ftp|mailto):/i.test(target) ? target : null;
}
