/** Plain text: all text that is not of another format. */
import { assertWithin } from '../../limits.ts';
import { escapeText } from '../../markdown/write.ts';
import { conversation } from './conversation.ts';
import type { TextFormat } from './format.ts';

export const text: TextFormat = {
  kind: 'text',
  name: 'text',
  label: 'a text',
  mediaTypes: [],
  extensions: ['txt', 'text', 'log'],
  parser: null,
  emptyMessage: 'The content contains only white space.',
  subformats: [conversation],
  read({ text: plain }, limits) {
    // Checked first: the text does not get shorter, and later steps need a multiple of its memory.
    assertWithin(limits, 'characters', plain.length);
    return { markdown: escapeText(plain), title: null, languageHint: null };
  },
};
