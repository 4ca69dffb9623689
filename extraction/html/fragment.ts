/** A piece of HTML, as feeds, notebooks and mails hold it, -> Markdown: all of it, since nothing around it is a page's. */
import type { Limits } from '../limits.ts';
import { resolveAddresses } from './addresses.ts';
import { prepareBlocks } from './blocks.ts';
import { boundedHtml } from './bounded.ts';
import { parseDocument } from './dom.ts';
import { turndown } from './markdown.ts';

/** Links are absolute where `url` allows. @throws SourceError `extraction_limit` beyond the number of nodes */
export function fragmentToMarkdown(html: string, url: string | null, limits: Limits): string {
  const document = parseDocument(boundedHtml(html, limits));
  prepareBlocks(document);
  resolveAddresses(document, url);
  return turndown(document.body).trim();
}
