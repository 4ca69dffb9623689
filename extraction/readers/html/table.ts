/** HTML tables -> GFM tables. */
import { tableOf } from '../../markdown/write.ts';
import { type DomElement, lineOf } from './dom.ts';

const maxColumns = 60;
/** A cell may claim to go on for 65,534 rows. */
const maxRows = 10_000;

/**
 * The table as GFM, or `content` (its cells one after the other, as paragraphs) where the table only lays out a page:
 * a single column or row of blocks, or tables within. Cells keep their lines as `<br>`; spans repeat nothing, they
 * leave cells empty.
 */
export function tableToMarkdown(table: DomElement, content: string, render: (cell: DomElement) => string): string {
  const rows = rowsOf(table);
  if (isLayout(table, rows)) return content;

  const grid = gridOf(rows, render);
  const hasHeader =
    rows[0]?.every((cell) => cell.localName === 'th') === true || table.querySelector('thead tr') !== null;
  const header = hasHeader ? (grid.shift() ?? []) : [];
  const caption = lineOf(table.querySelector('caption'));
  const markdown = tableOf(header, grid);
  return caption === '' ? markdown : `${caption}\n\n${markdown}`;
}

/** How many cells of the tables within an element go over several rows or columns. */
export function mergedCellsIn(content: DomElement): number {
  let count = 0;
  for (const table of content.querySelectorAll('table')) {
    const rows = rowsOf(table);
    if (!isLayout(table, rows))
      count += rows.flat().filter((cell) => spanOf(cell, 'colspan') * spanOf(cell, 'rowspan') > 1).length;
  }
  return count;
}

function rowsOf(table: DomElement): DomElement[][] {
  return Array.from(table.querySelectorAll('tr'))
    .map((row) => Array.from(row.children).filter((cell) => cell.localName === 'td' || cell.localName === 'th'))
    .filter((cells) => cells.length > 0);
}

/** Every cell in its column: where one of a row above goes on, the row has an empty one. */
function gridOf(rows: DomElement[][], render: (cell: DomElement) => string): string[][] {
  /** For each column the number of rows that a cell above still covers. */
  const covered: number[] = [];
  return rows.map((cells) => {
    const line: string[] = [];
    const skipCovered = () => {
      for (; (covered[line.length] ?? 0) > 0 && line.length < maxColumns; ) {
        covered[line.length] = (covered[line.length] ?? 0) - 1;
        line.push('');
      }
    };
    for (const cell of cells) {
      skipCovered();
      if (line.length >= maxColumns) break;
      const text = render(cell);
      const rowSpan = Math.min(spanOf(cell, 'rowspan'), maxRows);
      for (
        let column = 0;
        column < Math.min(spanOf(cell, 'colspan'), maxColumns) && line.length < maxColumns;
        column += 1
      ) {
        covered[line.length] = rowSpan - 1;
        line.push(column === 0 ? text : '');
      }
    }
    skipCovered();
    return line;
  });
}

function isLayout(table: DomElement, rows: DomElement[][]): boolean {
  if (rows.length === 0 || rows.every((cells) => cells.length === 1)) return true;
  if (table.querySelector('table') !== null || /^(?:presentation|none)$/.test(table.getAttribute('role') ?? ''))
    return true;
  if (table.querySelector('th') !== null) return false;
  // A row or two of long texts are the columns of a page.
  if (rows.length <= 2 && rows.flat().some((cell) => lineOf(cell).length > 600)) return true;
  return table.querySelector('h1, h2, h3, pre, blockquote') !== null;
}

function spanOf(cell: DomElement, name: 'colspan' | 'rowspan'): number {
  const span = Number(cell.getAttribute(name) ?? '1');
  return Number.isInteger(span) && span > 1 ? span : 1;
}
