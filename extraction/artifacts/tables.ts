/** GFM tables. */
import { toString as textOf } from 'mdast-util-to-string';
import { type Finder, normaliseText, titleFrom } from './find.ts';

/** Titled by its header row, else by the heading above it. */
export const findTable: Finder = (node, { source, start, end, headings }) => {
  if (node.type !== 'table') return null;
  const [header, ...rows] = node.children;
  const columns = (header?.children ?? []).map((cell) => textOf(cell).trim());
  const named = columns.filter((column) => column !== '');
  const cells = node.children.map((row) => row.children.map((cell) => textOf(cell).trim()).join('\u001f'));
  return {
    kind: 'table',
    title: titleFrom(named.length > 0 ? named.join(' | ') : (headings.at(-1) ?? 'Table')),
    content: source.replace(/\n[ \t>]*(?=\S)/g, '\n'),
    language: null,
    metadata: { headings, columns, rows: rows.length },
    // Padding and alignment do not make another table.
    normalised: normaliseText(cells.join('\n')),
    start,
    end,
  };
};
