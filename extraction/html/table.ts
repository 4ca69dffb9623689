/** HTML tables -> GFM tables. */
import { tableOf } from '../markdown/write.ts';
import type { DomElement } from './dom.ts';

const maxColumns = 60;

/**
 * The table as GFM, or `content` (its cells one after the other, as paragraphs) where the table only lays out a page:
 * a single column or row of blocks, or tables within. Cells keep their lines as `<br>`; spans repeat nothing, they
 * leave cells empty.
 */
export function tableToMarkdown(table: DomElement, content: string, render: (cell: DomElement) => string): string {
  const rows = Array.from(table.querySelectorAll('tr'))
    .map((row) => Array.from(row.children).filter((cell) => cell.localName === 'td' || cell.localName === 'th'))
    .filter((cells) => cells.length > 0);
  if (isLayout(table, rows)) return content;

  const grid = rows.map((cells) => cells.flatMap((cell) => [render(cell), ...emptyCells(cell)]).slice(0, maxColumns));
  const hasHeader =
    rows[0]?.every((cell) => cell.localName === 'th') === true || table.querySelector('thead tr') !== null;
  const header = hasHeader ? (grid.shift() ?? []) : [];
  const caption = (table.querySelector('caption')?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const markdown = tableOf(header, grid);
  return caption === '' ? markdown : `${caption}\n\n${markdown}`;
}

function isLayout(table: DomElement, rows: DomElement[][]): boolean {
  if (rows.length === 0 || rows.every((cells) => cells.length === 1)) return true;
  if (table.querySelector('table') !== null || table.getAttribute('role') === 'presentation') return true;
  return table.querySelector('th') === null && table.querySelector('h1, h2, h3, pre, blockquote') !== null;
}

function emptyCells(cell: DomElement): string[] {
  const span = Number(cell.getAttribute('colspan') ?? '1');
  return Number.isInteger(span) && span > 1 ? Array.from({ length: Math.min(span, maxColumns) - 1 }, () => '') : [];
}
