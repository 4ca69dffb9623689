/** HTML -> the Markdown of its main content. */
import { Readability } from '@mozilla/readability';
import type { Reading } from '../content.ts';
import { boundedHtml } from '../html/bounded.ts';
import { prepareBlocks, resolveAddresses, withoutChrome } from '../html/clean.ts';
import { type DomDocument, type DomElement, parseDocument } from '../html/dom.ts';
import { turndown } from '../html/markdown.ts';
import type { Limits } from '../limits.ts';
import { escapeInline } from '../markdown/write.ts';
import type { TextFormat } from './format.ts';

/** Below this many characters an article is taken for a fragment that was found by mistake. */
const shortArticle = 250;

export const html: TextFormat = {
  kind: 'text',
  name: 'html',
  label: 'a web page',
  mediaTypes: ['text/html', 'application/xhtml+xml'],
  extensions: ['html', 'htm', 'xhtml'],
  parser: '@mozilla/readability',
  emptiness: 'The page shows no text without scripts or signing in.',
  looks({ text }) {
    const head = text.slice(0, 4096).replace(/^\s*(?:<\?xml[^>]*\?>\s*|<!--[\s\S]*?-->\s*)*/, '');
    if (/^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(head)) return 'sure';
    const isFragment = /^<(div|article|section|main|p|table|ul|ol|h[1-6])[\s>]/i.test(head);
    return isFragment && /<\/[a-z][a-z0-9]*>\s*$/i.test(text.slice(-200)) ? 'likely' : null;
  },
  read: ({ text, url }, limits) => htmlToMarkdown(text, url, limits),
};

/**
 * The main content (what a reader view shows), or the whole body of a page that has no article. Links are absolute
 * where `url` (or the page's base) allows; the title stands as first heading. Throws `extraction_limit` for a page of
 * too many nodes.
 */
export function htmlToMarkdown(text: string, url: string | null, limits: Limits): Reading {
  const html = boundedHtml(text, limits);
  const document = pageOf(html, url);
  const languageHint = document.documentElement?.getAttribute('lang') ?? null;
  const pageTitle = titleOf(document);
  const headings = Array.from(document.querySelectorAll('h1, h2'), (heading) => cleanTitle(heading.textContent) ?? '');

  const whole = withoutChrome(pageOf(html, url));
  const article = new Readability(document, { keepClasses: true, charThreshold: shortArticle }).parse();
  const articleLength = article?.textContent?.replace(/\s+/g, ' ').trim().length ?? 0;
  // Lists of entries and short pages have no article; a fragment of them is worse than all of them.
  const found = articleLength >= shortArticle || readableLength(whole) === 0;
  const content = found ? parseDocument(`<html><body>${article?.content ?? ''}</body></html>`).body : whole;

  const title = withoutSiteName(cleanTitle(found ? (article?.title ?? null) : pageTitle) ?? pageTitle, headings);
  const markdown = turndown(content).trim();
  return { markdown: withTitle(markdown, title), title, languageHint };
}

function pageOf(html: string, url: string | null): DomDocument {
  const document = parseDocument(html);
  prepareBlocks(document);
  resolveAddresses(document, url);
  return document;
}

function readableLength(element: DomElement): number {
  return (element.textContent ?? '').replace(/\s+/g, ' ').trim().length;
}

/** `<title>`, else the Open Graph title, else the first heading. */
function titleOf(document: DomDocument): string | null {
  return (
    cleanTitle(document.querySelector('title')?.textContent ?? null) ??
    cleanTitle(document.querySelector('meta[property="og:title"]')?.getAttribute('content') ?? null) ??
    cleanTitle(document.querySelector('h1')?.textContent ?? null)
  );
}

function cleanTitle(title: string | null): string | null {
  const text = title?.replace(/\s+/g, ' ').trim() ?? '';
  return text === '' ? null : text;
}

/** A title that is a heading of the page and the site's name is that heading. */
function withoutSiteName(title: string | null, headings: string[]): string | null {
  if (title === null) return null;
  const parts = title.split(/\s+[|\-–—·•:»«]+\s+|:\s+/).map(comparable);
  const whole = comparable(title);
  return headings.find((heading) => comparable(heading) !== whole && parts.includes(comparable(heading))) ?? title;
}

/** The page's title as first heading, unless the text begins with a heading of the same words. */
function withTitle(markdown: string, title: string | null): string {
  if (title === null || markdown === '') return markdown;
  const first = /^\s*#{1,6} (.+)/.exec(markdown)?.[1];
  const isFirst = first !== undefined && comparable(title).startsWith(comparable(first));
  if (isFirst) return markdown.replace(/^\s*#{1,6} /, '# ');
  return `# ${escapeInline(title)}\n\n${markdown}`;
}

function comparable(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
