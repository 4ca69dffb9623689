/** What the JSON-LD of a page says of its article (schema.org). */
import { z } from 'zod';

export interface LinkedData {
  types: ReadonlySet<string>;
  headline: string | null;
  author: string | null;
  published: string | null;
  siteName: string | null;
  language: string | null;
  articleBody: string | null;
}

const record = z.record(z.string(), z.unknown());
type Thing = z.infer<typeof record>;

const mostThings = 2_000;
const deepest = 8;
/** What a page is about, before what else it mentions. */
const articles =
  /(?:Article|Posting|Report|Recipe|HowTo|Product|Book|Course|Review|Event|QAPage|Question|Dataset|VideoObject|Podcast\w*)$/;

/** Texts that are no JSON say nothing. */
export function linkedDataOf(texts: readonly string[]): LinkedData {
  const things = texts.flatMap((text) => thingsIn(parsed(text)));
  const byId = new Map<string, Thing>();
  // What only refers to a thing has its @id, too.
  for (const thing of things)
    if (typeof thing['@id'] === 'string' && thing.name !== undefined) byId.set(thing['@id'], thing);
  const typed = (pattern: RegExp) => things.filter((thing) => typesOf(thing).some((type) => pattern.test(type)));
  const main = [...typed(articles), ...typed(/Page$/)];
  const first = (key: string) => main.map((thing) => textOf(thing[key])).find((text) => text !== null) ?? null;
  const named = (key: string) => main.map((thing) => nameOf(thing[key], byId)).find((name) => name !== null) ?? null;
  return {
    types: new Set(things.flatMap(typesOf)),
    headline:
      typed(articles)
        .map((thing) => textOf(thing.headline) ?? textOf(thing.name))
        .find((text) => text !== null) ?? null,
    author: named('author') ?? named('creator'),
    published: first('datePublished') ?? first('dateCreated') ?? first('uploadDate'),
    siteName:
      typed(/^WebSite$/)
        .map((site) => textOf(site.name))
        .find((name) => name !== null) ?? named('publisher'),
    language: first('inLanguage'),
    articleBody: first('articleBody'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*(?:<!--|\/\*<!\[CDATA\[\*\/)|(?:-->|\/\*\]\]>\*\/)\s*$/g, ''));
  } catch {
    return undefined;
  }
}

/** Every object in the order of the text, those of @graph and of properties included. */
function thingsIn(value: unknown): Thing[] {
  const things: Thing[] = [];
  function walk(part: unknown, depth: number): void {
    if (depth > deepest || things.length >= mostThings) return;
    if (Array.isArray(part)) for (const entry of part) walk(entry, depth + 1);
    else {
      const thing = record.safeParse(part).data;
      if (thing === undefined) return;
      things.push(thing);
      for (const entry of Object.values(thing)) if (typeof entry === 'object') walk(entry, depth + 1);
    }
  }
  walk(value, 0);
  return things;
}

function typesOf(thing: Thing): string[] {
  const type = thing['@type'];
  return (Array.isArray(type) ? type : [type])
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/^.*[/#:]/, ''));
}

function textOf(value: unknown): string | null {
  const text = Array.isArray(value) ? value.find((entry) => typeof entry === 'string') : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** The name of a person or an organisation, or of several, as text, as an object or by its @id. */
function nameOf(value: unknown, byId: ReadonlyMap<string, Thing>): string | null {
  const names = (Array.isArray(value) ? value : [value]).flatMap((entry): string[] => {
    if (typeof entry === 'string') return [entry.trim()];
    const thing = record.safeParse(entry).data;
    if (thing === undefined) return [];
    const id = thing['@id'];
    const name = textOf(thing.name) ?? (typeof id === 'string' ? textOf(byId.get(id)?.name) : null);
    return name === null ? [] : [name];
  });
  const found = [...new Set(names)].filter((name) => name !== '' && !/^https?:/.test(name));
  return found.length === 0 ? null : found.slice(0, 20).join(', ');
}
