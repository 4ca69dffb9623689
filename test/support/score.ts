/** Score of extracted Markdown against the expected strings and tables of a document. */
import { plainOf, type Table, tablesOf } from '../../bench/extraction/plain.ts';
import type { Expectation } from './samples.ts';
import { type Counts, countMainText } from './word-overlap.ts';

export interface Score {
  strings: number;
  /** Expected strings that occur anywhere. */
  found: number;
  /** Length of the longest subsequence of expected strings that occur in order. */
  inOrder: number;
  missing: string[];
  tables: number;
  /** Tables with the expected header and number of rows. */
  wholeTables: number;
  brokenTables: string[];
  /** Strings that occur but must not. */
  unwanted: string[];
  /** Word counts against the page's main text; null if the sample marks none. */
  mainText: Counts | null;
}

/** Limit on the places of one string; a more frequent string says nothing about order. */
const MAX_PLACES = 500;

function placesOf(text: string, string: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(string); at !== -1 && places.length < MAX_PLACES; at = text.indexOf(string, at + 1)) {
    places.push(at);
  }
  return places;
}

/** Length of the longest chain of increasing places with at most one place of each string. */
function longestChain(placesOfEach: readonly number[][]): number {
  /** Item n: the smallest place at which a chain of n + 1 strings can end. */
  const ends: number[] = [];
  for (const places of placesOfEach) {
    // In descending order, so that a chain never takes two places of one string.
    for (const place of places.toReversed()) {
      const at = ends.findIndex((end) => end >= place);
      ends[at === -1 ? ends.length : at] = place;
    }
  }
  return ends.length;
}

function isWhole(found: Table, expected: Table): boolean {
  const cells = (header: readonly string[]) => header.map(plainOf).filter((cell) => cell !== '');
  return found.rows === expected.rows && cells(found.header).join('|') === cells(expected.header).join('|');
}

/** Scores Markdown against the expectation of its document. */
export function scoreOf(markdown: string, expected: Expectation): Score {
  const text = plainOf(markdown);
  const places = expected.strings.map((string) => {
    const inText = placesOf(text, plainOf(string));
    // A link target is not part of the plain text, but may be expected.
    return inText.length === 0 && /^\w+:\S+$/.test(string) && markdown.includes(string) ? [-1] : inText;
  });
  const missing = expected.strings.filter((_, index) => places[index]?.length === 0);
  const targets = places.filter(([place]) => place === -1).length;
  const left = tablesOf(markdown);
  const brokenTables: string[] = [];
  for (const table of expected.tables) {
    const at = left.findIndex((candidate) => isWhole(candidate, table));
    if (at === -1) brokenTables.push(`${table.header.join(' | ')} (${table.rows} rows)`);
    else left.splice(at, 1);
  }
  return {
    strings: expected.strings.length,
    found: expected.strings.length - missing.length,
    inOrder: longestChain(places.filter(([place]) => place !== -1)) + targets,
    missing,
    tables: expected.tables.length,
    wholeTables: expected.tables.length - brokenTables.length,
    brokenTables,
    unwanted: expected.absent.filter((string) => text.includes(plainOf(string))),
    mainText: expected.main === null ? null : countMainText(markdown, expected.main),
  };
}
