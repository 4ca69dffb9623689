/** The common model of RSS, RDF and Atom feeds. */
import type { AnyFeed } from 'feedsmith';
import { assertWithin, type Limits } from '../../limits.ts';

export interface FeedText {
  value: string;
  /** `either`: RSS does not declare whether it is plain text or HTML. */
  kind: 'text' | 'html' | 'either';
}

export interface FeedEntry {
  title: FeedText | null;
  link: string | null;
  /** In the format of the feed. */
  date: string | null;
  authors: string[];
  categories: string[];
  content: FeedText | null;
  /** Recordings and files. */
  enclosures: { url: string; type: string | null }[];
}

export interface Feed {
  title: FeedText | null;
  link: string | null;
  description: FeedText | null;
  language: string | null;
  authors: string[];
  date: string | null;
  entries: FeedEntry[];
}

/** The feed; null for other content. @throws SourceError `extraction_limit` */
export async function parseFeed(text: string, limits: Limits): Promise<Feed | null> {
  // Checked first: the parser builds all entries, and those of a hostile feed would exhaust memory.
  let entries = 0;
  for (const _ of text.matchAll(/<(?:[\w-]+:)?(?:item|entry)[\s/>]/g)) assertWithin(limits, 'entries', ++entries);
  const { parseFeed: parse } = await import('feedsmith');
  let parsed: AnyFeed;
  try {
    parsed = parse<string>(text);
  } catch {
    return null;
  }
  switch (parsed.format) {
    case 'rss':
      return fromRss(parsed.feed);
    case 'rdf':
      return fromRdf(parsed.feed);
    case 'atom':
      return fromAtom(parsed.feed);
    default:
      return null;
  }
}

type Of<Format extends AnyFeed['format']> = Extract<AnyFeed, { format: Format }>['feed'];

function fromRss(feed: Of<'rss'>): Feed {
  return {
    title: either(feed.title),
    link: feed.link ?? null,
    description: either(feed.description),
    language: feed.language ?? null,
    authors: present([feed.itunes?.author, feed.managingEditor?.email, ...(feed.dc?.creators ?? [])]).slice(0, 1),
    date: feed.lastBuildDate ?? feed.pubDate ?? null,
    entries: (feed.items ?? []).map((item) => ({
      title: either(item.title ?? item.media?.title?.value),
      link:
        item.link ??
        (item.guid?.isPermaLink !== false && /^https?:/.test(item.guid?.value ?? '')
          ? (item.guid?.value ?? null)
          : null),
      date: item.pubDate ?? item.dc?.dates?.[0] ?? null,
      authors: present([...(item.dc?.creators ?? []), ...(item.authors ?? []).map(personName), item.itunes?.author]),
      categories: present((item.categories ?? []).map((category) => category.name)),
      content: either(
        longest(item.content?.encoded, item.description, item.itunes?.summary, item.media?.description?.value),
      ),
      enclosures: (item.enclosures ?? []).flatMap(({ url, type }) =>
        url === undefined ? [] : [{ url, type: type ?? null }],
      ),
    })),
  };
}

function fromRdf(feed: Of<'rdf'>): Feed {
  return {
    title: either(feed.title),
    link: feed.link ?? null,
    description: either(feed.description),
    language: feed.dc?.languages?.[0] ?? null,
    authors: present(feed.dc?.creators ?? feed.dc?.publishers ?? []),
    date: feed.dc?.dates?.[0] ?? null,
    entries: (feed.items ?? []).map((item) => ({
      title: either(item.title),
      link: item.link ?? null,
      date: item.dc?.dates?.[0] ?? null,
      authors: present(item.dc?.creators ?? []),
      categories: present(item.dc?.subjects ?? []),
      content: either(longest(item.content?.encoded, item.description)),
      enclosures: [],
    })),
  };
}

function fromAtom(feed: Of<'atom'>): Feed {
  return {
    title: atomText(feed.title),
    link: linkOf(feed.links),
    description: atomText(feed.subtitle),
    language: feed.xml?.lang ?? null,
    authors: present((feed.authors ?? []).map(({ name }) => name)),
    date: feed.updated ?? null,
    entries: (feed.entries ?? []).map((entry) => ({
      title: atomText(entry.title),
      link: linkOf(entry.links),
      date: entry.published ?? entry.updated ?? entry.dc?.dates?.[0] ?? null,
      authors: present((entry.authors ?? []).map(({ name }) => name)),
      categories: present((entry.categories ?? []).map(({ label, term }) => label ?? term)),
      content:
        atomText(entry.content) ?? atomText(entry.summary) ?? either(entry.media?.groups?.[0]?.description?.value),
      enclosures: (entry.links ?? []).flatMap(({ rel, href, type }) =>
        rel === 'enclosure' && href !== undefined ? [{ url: href, type: type ?? null }] : [],
      ),
    })),
  };
}

function atomText(text: { value?: string; type?: string } | undefined): FeedText | null {
  if (text?.value === undefined || text.value.trim() === '') return null;
  return { value: text.value, kind: /html/.test(text.type ?? '') ? 'html' : 'text' };
}

function linkOf(links: readonly { href?: string; rel?: string; type?: string }[] | undefined): string | null {
  const alternates = (links ?? []).filter(({ rel }) => rel === undefined || rel === 'alternate');
  return (alternates.find(({ type }) => type === 'text/html') ?? alternates[0])?.href ?? null;
}

function either(value: string | undefined): FeedText | null {
  return value === undefined || value.trim() === '' ? null : { value, kind: 'either' };
}

/** The longest text: a feed often has a summary in one element and the full text in another. */
function longest(...texts: (string | undefined)[]): string | undefined {
  return texts.reduce((best, text) => ((text?.length ?? 0) > (best?.length ?? 0) ? text : best), undefined);
}

function personName(person: { name?: string; email?: string } | string | undefined): string | undefined {
  const text = typeof person === 'string' ? person : (person?.name ?? person?.email);
  // RSS: "jo@example.org (Jo Smith)"
  return /\(([^()]+)\)\s*$/.exec(text ?? '')?.[1] ?? text;
}

function present(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.map((text) => text?.replace(/\s+/g, ' ').trim() ?? '').filter((text) => text !== ''))];
}
