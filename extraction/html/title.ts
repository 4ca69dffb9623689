/** The title of a page, without the name of its site, and as the first heading of its Markdown. */
import { escapeInline } from '../markdown/write.ts';
import { type DomDocument, lineOf } from './dom.ts';
import type { PageMetadata } from './metadata.ts';

const separator = /\s+[|\-–—·•:»«›\\/]+\s+|\s*[|｜]\s*|:\s+|\s*[-–—]\s*(?=[^\s]+$)/;

/** The heading that says what `<title>` or the metadata say, else that title without the site's name. */
export function titleOf(document: DomDocument, { title: said, about }: PageMetadata): string | null {
  const own = lineOf(document.querySelector('title'));
  const headings = Array.from(document.querySelectorAll('h1, h2'), lineOf)
    .filter((text) => text !== '')
    .slice(0, 200);
  const first = lineOf(document.querySelector('h1'));
  const titles = [own, said ?? ''].filter((title) => title !== '');
  for (const title of titles) {
    const parts = [title, ...title.split(separator)].map(comparable);
    const heading = headings.find((text) => comparable(text) !== '' && parts.includes(comparable(text)));
    if (heading !== undefined && comparable(heading) !== comparable(about.siteName ?? '')) return heading;
  }
  const title = own === '' || (said !== null && comparable(own).includes(comparable(said))) ? (said ?? own) : own;
  const chosen = title === '' ? first : withoutSite(title, about.siteName);
  return chosen === '' ? null : chosen;
}

function withoutSite(title: string, site: string | null): string {
  const name = comparable(site ?? '');
  if (name === '') return title;
  const parts = title.split(/(\s+[|\-–—·•»«›]+\s+|\s*[|｜]\s*)/);
  if (parts.length < 3) return title;
  if (comparable(parts.at(-1) ?? '') === name) return parts.slice(0, -2).join('').trim();
  return comparable(parts[0] ?? '') === name ? parts.slice(2).join('').trim() : title;
}

/** The page's title as first heading, unless the text begins with a heading of the same words. */
export function withTitle(markdown: string, title: string | null): string {
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
