/** GFM tables. */
import type { Table } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { type Finder, type Found, normaliseText, type Place, titleFrom } from './find.ts';

/** Titled by its header row, else by the heading above it. */
export const findTable: Finder = (node, place) => {
  if (node.type !== 'table') return null;
  const { start, end, headings } = place;
  const [header, ...rows] = node.children;
  const columns = (header?.children ?? []).map((cell) => textOf(cell).trim());
  const named = columns.filter((column) => column !== '');
  return {
    kind: 'table',
    title: titleFrom(named.length > 0 ? named.join(' | ') : (headings.at(-1) ?? 'Table')),
    content: unindented(place),
    language: null,
    metadata: { headings, columns, rows: rows.length },
    normalised: normalisedCells(node),
    start,
    end,
  };
};

/** Adds the rows of a table that came in more than one piece. */
export function goOnWithTable(table: Found | undefined, node: Table, place: Place): void {
  if (table === undefined) return;
  table.content += `\n${unindented(place)}`;
  table.normalised += `\n${normalisedCells(node)}`;
  table.metadata.rows = Number(table.metadata.rows) + node.children.length;
  table.end = place.end;
}

/** Without what a list or a quote puts before each of the table's lines. */
function unindented({ source }: Place): string {
  return source.replace(/\n[ \t>]*(?=\S)/g, '\n');
}

/** The cells alone: padding and alignment do not make another table. */
function normalisedCells(node: Table): string {
  const rows = node.children.map((row) => row.children.map((cell) => textOf(cell).trim()).join('\u001f'));
  return normaliseText(rows.join('\n'));
}
