/** XML of no kind that is known: shown as the code it is. */
import { fenced } from '../markdown/write.ts';
import type { TextFormat } from './format.ts';

export const xml: TextFormat = {
  kind: 'text',
  name: 'xml',
  label: 'an XML document',
  mediaTypes: ['application/xml', 'text/xml'],
  extensions: ['xml'],
  parser: null,
  emptiness: 'The XML holds no text.',
  looks: ({ text }) => (/^\s*<\?xml\s/.test(text) ? 'sure' : null),
  read: ({ text }) => ({ markdown: fenced(text.trim(), 'xml'), title: null, languageHint: null }),
};
