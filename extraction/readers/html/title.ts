/** The title of a page, without the name of its site, and as the first heading of its Markdown. */
import { escapeInline } from '../../markdown/write.ts';
import { type DomDocument, type DomElement, lineOf } from './dom.ts';
import type { PageMetadata } from './metadata.ts';

const separator = /\s+[|\-–—·•:»«›\\/]+\s+|\s*[|｜]\s*|:\s+|\s*[-–—]\s*(?=[^\s]+$)/;

/** The heading that says what `<title>` or the metadata say, else that title without the site's name. */
export function titleOf(
  document: DomDocument,
  { title: said, about }: PageMetadata,
  url: string | null,
): string | null {
  const own = lineOf(document.querySelector('title'));
  const headings = Array.from(document.querySelectorAll('h1, h2'), headingText)
    .filter((text) => text !== '')
    .slice(0, 200);
  const first = headingText(document.querySelector('h1'));
  for (const title of [own, said ?? '']) {
    if (title === '') continue;
    const parts = [title, ...title.split(separator)].map(comparable);
    // The site's name, its logo, is often a heading too.
    const heading = headings
      .filter((text) => comparable(text) !== '' && parts.includes(comparable(text)))
      .reduce((longest, text) => (text.length > longest.length ? text : longest), '');
    if (heading !== '' && comparable(heading) !== comparable(about.siteName ?? '')) return heading;
    // "Crash on start · Issue #52 · knot" is the heading "Crash on start #52".
    const beginning = title.split(/\s+[|·•–—-]\s+/)[0] ?? '';
    const longer = headings.some(
      (text) => comparable(text).startsWith(`${comparable(beginning)} `) && text.length < beginning.length + 10,
    );
    if (longer && comparable(beginning).includes(' ')) return beginning.trim();
    if (comparable(first).includes(' ') && comparable(title).startsWith(`${comparable(first)} `)) return first;
  }
  const title = own === '' || (said !== null && comparable(own).includes(comparable(said))) ? (said ?? own) : own;
  const chosen = title === '' ? first : withoutSite(title, about.siteName, url);
  return chosen === '' ? null : chosen;
}

/** Without the mark that links to the heading. */
function headingText(heading: DomElement | null): string {
  return lineOf(heading).replace(/[\s¶#🔗\u200b]+$/u, '');
}

/** Without its first or last part, where that is the name of the site or says what its host name says. */
function withoutSite(title: string, site: string | null, url: string | null): string {
  const name = comparable(site ?? '');
  const host = url !== null && URL.canParse(url) ? new URL(url).hostname.split('.').slice(0, -1).join('.') : '';
  const parts = title.split(/(\s+[|\-–—·•»«›]+\s+|\s*[|｜]\s*)/);
  if (parts.length < 3) return title;
  const isSite = (part: string | undefined) => {
    const words = comparable(part ?? '').split(' ');
    const own = words.filter((word) => !generic.has(word));
    return words.join(' ') === name || (own.length > 0 && own.every((word) => word.length > 2 && host.includes(word)));
  };
  if (isSite(parts.at(-1))) return parts.slice(0, -2).join('').trim();
  return isSite(parts[0]) ? parts.slice(2).join('').trim() : title;
}

const generic = new Set(['the', 'online', 'com', 'org', 'blog', 'www', 'home', 'site', 'official', 'news']);

/** The page's title as first heading, unless the text begins with a heading of the same words. */
export function withTitle(markdown: string, title: string | null): string {
  if (title === null || markdown === '') return markdown;
  const first = /^\s*#{1,6} (.+)/.exec(markdown)?.[1];
  const isFirst = first !== undefined && comparable(title).startsWith(comparable(first));
  if (isFirst) return markdown.replace(/^\s*#{1,6} /, '# ');
  return `# ${escapeInline(title)}\n\n${markdown}`;
}

/** Titles that differ in case and punctuation alone are the same. */
export function comparable(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
