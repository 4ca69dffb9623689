/** The common model of workbooks of all spreadsheet formats. */

export interface SheetCell {
  kind: 'text' | 'number' | 'date' | 'boolean' | 'error';
  /** The displayed text; dates in ISO 8601. */
  text: string;
  /** Target of an external link on the cell. */
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
  /** The cells that are not empty, ordered by row, then column. */
  cells: readonly PlacedCell[];
  merges: readonly CellRange[];
  /** Hidden rows and columns that are not empty. */
  hiddenRows: number;
  hiddenColumns: number;
  /** Drawings above the cells. */
  drawings: Drawings;
}

export interface Drawings {
  /** One for each chart; empty for a chart without a title. */
  chartTitles: readonly string[];
  /** Text of boxes and shapes. */
  texts: readonly string[];
  /** One for each image; empty for an image without a description. */
  imageTexts: readonly string[];
}

export const noDrawings: Drawings = { chartTitles: [], texts: [], imageTexts: [] };

export interface Workbook {
  title: string | null;
  author: string | null;
  /** ISO 8601 */
  changedAt: string | null;
  sheets: readonly Sheet[];
  /** Number of cells with a formula without a stored result; they show the formula. */
  uncomputed: number;
}

/** A comment with its author's name, which Excel already has at the start of the text. */
export function commentText(author: string | undefined, text: string): string {
  const comment = text.replace(/\r\n?/g, '\n').trim();
  const name = author?.trim() ?? '';
  if (name === '' || comment.startsWith(`${name}:`)) return comment;
  return comment === '' ? '' : `${name}: ${comment}`;
}

/** The URL if it works outside of the author's machine, else null. */
export function webAddress(target: string | undefined): string | null {
  return target !== undefined && /^(?:https?|ftp|mailto):/i.test(target) ? target : null;
}
