/** Plain text: what nothing else wants. */
import { escapeText } from '../markdown/write.ts';
import { conversation } from './conversation.ts';
import type { TextFormat } from './format.ts';

export const text: TextFormat = {
  kind: 'text',
  name: 'text',
  label: 'a text',
  mediaTypes: [],
  extensions: ['txt', 'text', 'log'],
  parser: null,
  emptiness: 'The content is nothing but white space.',
  special: [conversation],
  read: (sample) => ({ markdown: escapeText(sample.text), title: null, languageHint: null }),
};
