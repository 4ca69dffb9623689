/**
 * What a page says of itself: Open Graph and other meta elements, JSON-LD, microdata, `time`, `rel`, bylines; in this
 * order where several do.
 */
import type { DocumentAbout } from '../../../contract/extraction.ts';
import { shownAuthorOf, shownDateOf } from './byline.ts';
import { isoDateOf } from './date.ts';
import { type DomDocument, lineOf } from './dom.ts';
import { linkedDataOf } from './linked-data.ts';
import { anyOf } from './phrases/pattern.ts';
import { words } from './words.ts';

export interface PageMetadata {
  about: DocumentAbout;
  /** Without the site's name where the page tells both. */
  title: string | null;
  languageHint: string | null;
  /** The text of the article as the page's JSON-LD has it. */
  articleBody: string | null;
  /** Types of schema.org that the page says it is. */
  types: ReadonlySet<string>;
}

const mostName = 200;

/** `url` is the address of the page; a canonical address is http(s), or it is none. */
export function metadataOf(document: DomDocument, url: string | null, linkedData: readonly string[]): PageMetadata {
  const data = linkedDataOf(linkedData);
  const meta = metaOf(document);
  const items = Array.from(document.querySelectorAll('[itemprop]'));
  const itemText = (name: string) => {
    const item = items.find((element) => (element.getAttribute('itemprop') ?? '').split(/\s+/).includes(name)) ?? null;
    return item === null
      ? null
      : (textOr(item.getAttribute('content')) ?? textOr(item.getAttribute('datetime')) ?? textOr(lineOf(item)));
  };
  const published = [
    ...['article:published_time', 'og:article:published_time', 'og:published_time'].map(meta),
    data.published,
    ...dateNames.map(meta),
    itemText('datePublished'),
    document.querySelector('time[pubdate]')?.getAttribute('datetime'),
    document.querySelector(dateTimes)?.getAttribute('datetime'),
    onlyTimeOf(document),
    document.querySelector('main time[datetime], article time[datetime]')?.getAttribute('datetime'),
    lineOf(document.querySelector(dateLines)),
    shownDateOf(document),
    /\/((?:19|20)\d\d\/\d\d?\/\d\d?)\//.exec(url ?? '')?.[1],
  ];
  const siteName =
    textOr(meta('og:site_name')) ??
    data.siteName ??
    textOr(meta('application-name')) ??
    textOr(meta('apple-mobile-web-app-title'));
  const titles = [meta('og:title'), data.headline, meta('twitter:title'), meta('citation_title'), meta('dc.title')];
  return {
    about: {
      author: authorOf(document, meta, data.author, itemText, siteName),
      publishedAt: published.map(isoDateOf).find((date) => date !== null) ?? null,
      siteName: siteName?.slice(0, mostName) ?? null,
      canonicalUrl: canonicalOf(document, url, meta),
    },
    title: titles.map(textOr).find((title) => title !== null) ?? null,
    languageHint:
      textOr(document.documentElement?.getAttribute('lang')) ??
      textOr(document.documentElement?.getAttribute('xml:lang')) ??
      textOr(meta('content-language')) ??
      textOr(meta('og:locale')) ??
      data.language ??
      textOr(document.body?.getAttribute('lang')),
    articleBody: data.articleBody,
    types: data.types,
  };
}

/** Names of meta elements, the first that a page has counts. */
const dateNames = words(
  'citation_publication_date dcterms.issued dcterms.created dc.date.issued dc.date dc.date.created',
  'date pubdate publishdate publish-date publish_date publication_date',
  'parsely-pub-date sailthru.date datepublished bt:pubdate',
);
const authorNames = words(
  'author article:author citation_author dc.creator dcterms.creator',
  'parsely-author sailthru.author byl',
);

const dateTimes = [
  'article header time[datetime]',
  '[class*="published"] time[datetime]',
  'time[class*="published"][datetime]',
  '[class*="byline"] time[datetime]',
  '[class*="meta"] time[datetime]',
].join();
const dateLines = '.entry-date, .post-date, .published, .pubdate, .article-date, .publish-date';
const bylines = words(
  '[class~="byline"] [class*="byline__name"] [class~="author-name"]',
  '.p-author .post-author .entry-author .article-author',
).join();

/** "By", by language. */
const by = {
  en: ['(written|posted) by', 'by', 'author'],
  da: ['af'],
  de: ['von'],
  es: ['por', 'autor'],
  fr: ['par'],
  it: ['di'],
  nl: ['door'],
  sv: ['av'],
};
const beforeName = new RegExp(String.raw`^\s*${anyOf(by)}\b\s*:?\s*`, 'i');
const months = words('jan feb mar apr may jun jul aug sep oct nov dec');
const date = String.raw`(?:${anyOf(months)}[a-z]*\.? \d|\d{4}-\d\d)`;
const afterName = new RegExp(String.raw`\s*(?:[|·•—]|\s-\s|,?\s+(?:on\s+)?(?=${date})).*$`, 'i');
const noPeople = new Set(['admin', 'redaktion', 'editor', 'staff']);

type Meta = (name: string) => string | null;

/** The content of the first meta element of a name, whichever attribute names it. */
function metaOf(document: DomDocument): Meta {
  const contents = new Map<string, string>();
  for (const element of document.querySelectorAll('meta[content]')) {
    const content = textOr(element.getAttribute('content'));
    for (const attribute of ['property', 'name', 'itemprop', 'http-equiv']) {
      for (const name of (element.getAttribute(attribute) ?? '').toLowerCase().split(/\s+/)) {
        if (name !== '' && content !== null && !contents.has(name)) contents.set(name, content);
      }
    }
  }
  return (name) => contents.get(name) ?? null;
}

/** The time of a page that has hardly another: lists and comments have one for each entry. */
function onlyTimeOf(document: DomDocument): string | null {
  const times = Array.from(document.querySelectorAll('time[datetime]'));
  return times.length <= 2 ? (times[0]?.getAttribute('datetime') ?? null) : null;
}

function authorOf(
  document: DomDocument,
  meta: Meta,
  linked: string | null,
  itemText: (name: string) => string | null,
  siteName: string | null,
): string | null {
  const item = document.querySelector('[itemprop~="author"] [itemprop~="name"]');
  const named = [
    linked,
    ...authorNames.map(meta),
    item === null ? null : (textOr(item.getAttribute('content')) ?? lineOf(item)),
    itemText('author'),
  ];
  const said = ['a[rel~="author"]', bylines].map((selector) => lineOf(document.querySelector(selector)));
  const people = [...named, ...said, shownAuthorOf(document)].map(personOf).filter((name) => name !== null);
  // Where the publisher stands in the author's place, a byline may tell more.
  return people.find((name) => !isPublisher(name, siteName)) ?? people[0] ?? null;
}

function isPublisher(name: string, siteName: string | null): boolean {
  return name === siteName || /^\S+\.[a-z]{2,10}$/i.test(name) || noPeople.has(name.toLowerCase());
}

/** A name without "By" and what follows it on the same line; null for addresses and for what is too long to be one. */
function personOf(text: string | null): string | null {
  const name = (text ?? '').replace(/\s+/g, ' ').replace(beforeName, '').replace(afterName, '').trim();
  return name === '' || name.length > mostName || /^https?:|^www\.|^@?\[|\{\{/i.test(name) ? null : name;
}

function canonicalOf(document: DomDocument, url: string | null, meta: Meta): string | null {
  const declared = [document.querySelector('link[rel~="canonical"][href]')?.getAttribute('href'), meta('og:url')];
  for (const address of declared) {
    const text = textOr(address);
    if (text === null) continue;
    const resolved = URL.parse(text, url ?? undefined);
    if (resolved !== null && /^https?:$/.test(resolved.protocol)) return resolved.href;
  }
  return null;
}

function textOr(text: string | null | undefined): string | null {
  const line = text?.replace(/\s+/g, ' ').trim() ?? '';
  return line === '' ? null : line;
}
