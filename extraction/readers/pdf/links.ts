/** Links from the annotations of a page. */
import type { DocumentAnnotation, ParsedPage } from '@llamaindex/liteparse';
import { escapeInline } from '../../markdown/write.ts';
import { type Box, liesIn } from './lines.ts';

/** Limit of annotations of a page that are read. */
const MAX_LINKS = 2_000;

type Word = Box & { text: string };

/** The page's Markdown with links around their words, where these occur in it as often as on the page. */
export function withLinks(markdown: string, { annotations = [], textItems }: ParsedPage): string {
  const words = textItems.flatMap((item): Word[] => (item.words && item.words.length > 0 ? item.words : [item]));
  const page = words.map((word) => word.text).join(' ');
  const links = annotations
    .slice(0, MAX_LINKS)
    .flatMap((annotation) => linkOf(annotation, words, page))
    .toSorted((a, b) => a.at - b.at);
  const pieces: string[] = [];
  let end = 0;
  for (const { text, uri, occurrence, of } of links) {
    const places = placesOf(markdown, text);
    // For words that occur several times, the order on the page selects the place; without it nothing is linked.
    const place = places.length === of ? places[occurrence] : undefined;
    if (place === undefined || place < end) continue;
    pieces.push(markdown.slice(end, place), `[${text}](${uri})`);
    end = place + text.length;
  }
  return withOneForEach(pieces.join('') + markdown.slice(end));
}

/** Joins a link over two lines, which has an annotation for each line. */
function withOneForEach(markdown: string): string {
  return markdown.replace(/(?:\[[^[\]]+\]\((\S+)\))(?: \[[^[\]]+\]\(\1\))+/g, (links, uri: string) => {
    const texts = links.split(`](${uri})`).map((text) => text.trim().replace(/^\[/, ''));
    return `[${texts.join(' ').trim()}](${uri})`;
  });
}

interface Link {
  text: string;
  uri: string;
  /** Index of its first word on the page. */
  at: number;
  /** Index (from 0) among the occurrences of its text on the page, and their number. */
  occurrence: number;
  of: number;
}

function linkOf({ uri, rect, quadpointRects }: DocumentAnnotation, words: readonly Word[], page: string): Link[] {
  if (uri === undefined || rect === undefined || !/^(?:https?:|mailto:)[^\s<>()]+$/i.test(uri)) return [];
  const boxes = quadpointRects.length > 0 ? quadpointRects : [rect];
  const own = words.filter((word) => boxes.some((box) => liesIn(word, box)));
  const [first] = own;
  // A word may be longer than the link, for example by a full stop.
  const plain = own
    .map((word) => word.text)
    .join(' ')
    .replace(/[.,;:]+$/, '');
  const text = escapeInline(plain);
  if (first === undefined || plain.length < 2 || /[[\]()|\n]/.test(text)) return [];
  const at = words.indexOf(first);
  const before = words.slice(0, at).reduce((sum, word) => sum + word.text.length + 1, 0);
  const places = placesOf(page, plain);
  return [{ text, uri, at, occurrence: places.filter((place) => place < before).length, of: places.length }];
}

/** Offsets where a text occurs in another as whole words. */
function placesOf(whole: string, text: string): number[] {
  const places: number[] = [];
  for (let at = whole.indexOf(text); at !== -1; at = whole.indexOf(text, at + text.length)) {
    const isWord = /[\p{L}\p{N}]/u;
    if (isWord.test(whole.charAt(at - 1)) || isWord.test(whole.charAt(at + text.length))) continue;
    places.push(at);
  }
  return places;
}
