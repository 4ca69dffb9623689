/** HTML -> the Markdown of its main content. */
import { readPage } from '../html/page.ts';
import type { TextFormat } from './format.ts';

export const html: TextFormat = {
  kind: 'text',
  name: 'html',
  label: 'a web page',
  mediaTypes: ['text/html', 'application/xhtml+xml'],
  extensions: ['html', 'htm', 'xhtml'],
  parser: '@mozilla/readability',
  emptyMessage: 'The page has no text without scripts or signing in.',
  detect({ text }) {
    const head = text.slice(0, 4096).replace(/^\s*(?:<\?xml[^>]*\?>\s*|<!--[\s\S]*?-->\s*)*/, '');
    if (/^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(head)) return 'sure';
    const isFragment = /^<(div|article|section|main|p|table|ul|ol|h[1-6])[\s>]/i.test(head);
    return isFragment && /<\/[a-z][a-z0-9]*>\s*$/i.test(text.slice(-200)) ? 'likely' : null;
  },
  read: ({ text, url }, limits) => readPage(text, url, limits),
};
