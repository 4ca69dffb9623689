/** Values separated by commas or another delimiter -> a table. */
import { delimitedToMarkdown } from '../delimited/markdown.ts';
import { looksDelimited } from '../delimited/sniff.ts';
import type { TextFormat } from './format.ts';

export const csv: TextFormat = {
  kind: 'text',
  name: 'csv',
  label: 'a CSV table',
  mediaTypes: ['text/csv', 'application/csv', 'text/comma-separated-values', 'application/vnd.ms-excel.csv'],
  extensions: ['csv'],
  parser: 'csv-parse',
  emptyMessage: 'The table has no cells with text.',
  detect({ text }) {
    const delimiter = looksDelimited(text);
    return delimiter === null || delimiter === '\t' ? null : 'likely';
  },
  read: ({ text }, limits) => delimitedToMarkdown(text, ',', limits),
};
