/** A piece of HTML, as feeds, notebooks, mails and books hold it: all of it, since nothing around it is a page's. */
import type { Limits } from '../../limits.ts';
import { resolveAddresses } from './addresses.ts';
import { prepareBlocks } from './blocks.ts';
import { boundedHtml } from './bounded.ts';
import { type DomDocument, parseDocument } from './dom.ts';
import { turndown } from './markdown.ts';

/** Its Markdown. Links are absolute where `url` allows. @throws SourceError as `fragmentDocument` */
export function fragmentToMarkdown(html: string, url: string | null, limits: Limits): string {
  return turndown(fragmentDocument(html, url, limits).body).trim();
}

/** Its document, for those who change it first. @throws SourceError `extraction_limit` beyond the number of nodes */
export function fragmentDocument(html: string, url: string | null, limits: Limits): DomDocument {
  const document = parseDocument(boundedHtml(html, limits));
  prepareBlocks(document);
  resolveAddresses(document, url);
  return document;
}
