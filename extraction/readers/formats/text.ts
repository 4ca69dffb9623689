/** Plain text: what nothing else wants. */
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
  emptiness: 'The content is nothing but white space.',
  special: [conversation],
  read({ text: plain }, limits) {
    // None of it gets shorter, and what follows takes its memory several times.
    assertWithin(limits, 'characters', plain.length);
    return { markdown: escapeText(plain), title: null, languageHint: null };
  },
};
