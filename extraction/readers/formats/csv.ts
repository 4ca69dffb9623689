/** Comma-separated values, by whatever they are separated -> a table. */
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
  emptiness: 'The table has no cells with text.',
  looks({ text }) {
    const delimiter = looksDelimited(text);
    return delimiter === null || delimiter === '\t' ? null : 'likely';
  },
  read: ({ text }, limits) => delimitedToMarkdown(text, ',', limits),
};
