/** Tab-separated values -> a table. */
import { delimitedToMarkdown } from '../delimited/markdown.ts';
import { looksDelimited } from '../delimited/sniff.ts';
import type { TextFormat } from './format.ts';

export const tsv: TextFormat = {
  kind: 'text',
  name: 'tsv',
  label: 'a table of tab-separated values',
  mediaTypes: ['text/tab-separated-values', 'text/tsv'],
  extensions: ['tsv', 'tab'],
  parser: 'csv-parse',
  emptyMessage: 'The table has no cells with text.',
  detect: ({ text }) => (looksDelimited(text) === '\t' ? 'likely' : null),
  read: ({ text }, limits) => delimitedToMarkdown(text, '\t', limits),
};
