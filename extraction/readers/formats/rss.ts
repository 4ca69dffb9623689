/** RSS 0.9x, 1.0 and 2.0 -> its entries as sections. */
import { feedToMarkdown } from '../feeds/markdown.ts';
import type { TextFormat } from './format.ts';

export const rss: TextFormat = {
  kind: 'text',
  name: 'rss',
  label: 'an RSS feed',
  mediaTypes: ['application/rss+xml', 'text/rss+xml'],
  extensions: ['rss'],
  parser: 'feedsmith',
  emptyMessage: 'The feed has no entries.',
  detect({ xmlRoot, text }) {
    // RDF is used for other data too; RSS 1.0 and 0.90 have namespaces of their own.
    const root = xmlRoot();
    const isRdfFeed = root === 'RDF' && /purl\.org\/rss\/1\.0|my\.netscape\.com\/rdf/.test(text.slice(0, 4096));
    return root === 'rss' || isRdfFeed ? 'sure' : null;
  },
  read: ({ text, url }, limits) => feedToMarkdown(text, url, limits),
};
