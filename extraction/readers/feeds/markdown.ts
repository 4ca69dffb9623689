/** A feed -> Markdown with a section for each entry. */
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { closeFence, demoteHeadings } from '../../markdown/demote.ts';
import { escapeInline, escapeText } from '../../markdown/write.ts';
import { fragmentToMarkdown } from '../html/fragment.ts';
import { documentToMarkdown } from '../markup/document.ts';
import { type FeedEntry, type FeedText, parseFeed } from './feed.ts';

/**
 * The feed's title and description, then each entry, which is a part, with its link, date, authors and content.
 * @throws SourceError `file_damaged`, `extraction_limit`
 */
export async function feedToMarkdown(text: string, url: string | null, limits: Limits): Promise<Reading> {
  const feed = await parseFeed(text, limits);
  // Not a feed that the parser knows, but perhaps other XML.
  if (feed === null) return documentToMarkdown(text, limits);
  const base = resolved(feed.link, url) ?? url;
  const title = plain(feed.title, limits);
  const head = [title === null ? '' : `# ${escapeInline(title)}`, markdownOf(feed.description, base, limits)];
  let markdown = head.filter((part) => part !== '').join('\n\n');
  const starts: number[] = [];
  for (const [index, entry] of feed.entries.entries()) {
    if (markdown !== '') markdown += '\n\n';
    starts.push(markdown.length);
    markdown += entrySection(entry, index + 1, base, limits);
  }
  return {
    markdown,
    title,
    languageHint: feed.language,
    about: {
      author: feed.authors.join(', ') || null,
      publishedAt: feed.date === null ? null : isoDate(feed.date),
      siteName: title,
      canonicalUrl: resolved(feed.link, url),
    },
    ...(starts.length === 0 ? {} : { parts: { unit: 'entry', starts } }),
  };
}

function entrySection(entry: FeedEntry, number: number, base: string | null, limits: Limits): string {
  const title = plain(entry.title, limits) ?? `Entry ${number}`;
  const link = resolved(entry.link, base);
  const facts = [
    link === null ? '' : `- **Link:** <${link}>`,
    entry.date === null ? '' : `- **Date:** ${isoDate(entry.date) ?? escapeInline(entry.date.trim())}`,
    entry.authors.length === 0 ? '' : `- **Author:** ${escapeInline(entry.authors.join(', '))}`,
    entry.categories.length === 0 ? '' : `- **Categories:** ${escapeInline(entry.categories.join(', '))}`,
    ...entry.enclosures.map(({ url, type }) => {
      const address = resolved(url, base);
      return address === null ? '' : `- **Enclosure:** <${address}>${type === null ? '' : ` (${escapeInline(type)})`}`;
    }),
  ].filter((fact) => fact !== '');
  const content = closeFence(demoteHeadings(markdownOf(entry.content, link ?? base, limits), 3));
  return [`## ${escapeInline(title)}`, facts.join('\n'), content].filter((part) => part !== '').join('\n\n');
}

function markdownOf(text: FeedText | null, base: string | null, limits: Limits): string {
  if (text === null) return '';
  const isHtml =
    text.kind === 'html' || (text.kind === 'either' && /<[a-z!/][^<>]*>|&(?:#\d+|[a-z]+);/i.test(text.value));
  return isHtml ? fragmentToMarkdown(text.value, base, limits) : escapeText(text.value.trim().replace(/\r\n?/g, '\n'));
}

/** A title on one line, without Markdown syntax. */
function plain(text: FeedText | null, limits: Limits): string | null {
  if (text === null) return null;
  const isHtml =
    text.kind === 'html' || (text.kind === 'either' && /<\/?[a-z][^<>]*>|&(?:#\d+|[a-z]+);/i.test(text.value));
  const value = isHtml ? withoutMarks(fragmentToMarkdown(text.value, null, limits)) : text.value;
  return value.replace(/\s+/g, ' ').trim() || null;
}

function withoutMarks(markdown: string): string {
  return markdown
    .replace(/!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/(\*\*|__|~~|`|\*)(?=\S)(.+?)\1/g, '$2');
}

function resolved(address: string | null, base: string | null): string | null {
  if (address === null || /[\s<>]/.test(address.trim())) return null;
  const text = address.trim();
  const url = URL.canParse(text)
    ? new URL(text)
    : base !== null && URL.canParse(text, base)
      ? new URL(text, base)
      : null;
  return url !== null && /^(?:https?|mailto|ftp):$/.test(url.protocol) ? url.href : null;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The calendar date, in its own time zone, of an RFC 822 or ISO 8601 date; null for other text. */
function isoDate(date: string): string | null {
  const iso = /^\s*(\d{4}-\d{2}-\d{2})(?:[T ]|\s*$)/.exec(date)?.[1];
  if (iso !== undefined) return iso;
  const [, day = '', name = '', year = ''] = /(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{4}|\d{2})\b/i.exec(date) ?? [];
  const month = months.indexOf(name.toLowerCase()) + 1;
  if (month === 0) return null;
  const full = year.length === 2 ? `${Number(year) < 70 ? '20' : '19'}${year}` : year;
  return `${full}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
}
