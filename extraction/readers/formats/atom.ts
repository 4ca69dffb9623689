/** Atom (RFC 4287) -> its entries as sections. */
import { feedToMarkdown } from '../feeds/markdown.ts';
import type { TextFormat } from './format.ts';

export const atom: TextFormat = {
  kind: 'text',
  name: 'atom',
  label: 'an Atom feed',
  mediaTypes: ['application/atom+xml'],
  extensions: ['atom'],
  parser: 'feedsmith',
  emptyMessage: 'The feed has no entries.',
  detect: ({ xmlRoot }) => (xmlRoot() === 'feed' ? 'sure' : null),
  read: ({ text, url }, limits) => feedToMarkdown(text, url, limits),
};
