/** Running headers and footers: lines at the top or bottom that are repeated on other pages, and page numbers. */
import type { LayoutBlock, ParsedPage } from '@llamaindex/liteparse';
import { type Line, linesOf } from './lines.ts';

/** Running lines are within this share of the page's height at its top and bottom. */
const MARGIN = 0.14;
/** The same for a line with only a number, which may have a wide margin around it. */
const NUMBER_MARGIN = 0.22;
/** Lines that are checked at the top and at the bottom of a page. */
const MAX_LINES = 3;
/** Maximum length of a running line. */
const MAX_CHARACTERS = 300;
const MIN_PAGES = 3;
/** Minimum share of the pages with text on which a running line is. */
const MIN_PAGE_SHARE = 0.2;

const numberAlone = /^\W*(?:\d+|[ivxlc]+)\W*$/;

interface Candidate {
  page: number;
  line: Line;
  /** Keys that are equal for the same running line on other pages. */
  keys: string[];
}

/** The running lines of each page; none for a page without other text. */
export function runningLines(pages: readonly ParsedPage[]): Line[][] {
  const all = pages.map(linesOf);
  const candidates = all.flatMap((lines, page) => candidatesOf(lines, page, pages[page]?.height ?? 0));
  const seen = new Map<string, Set<number>>();
  for (const { keys, page } of candidates) {
    for (const key of keys) seen.set(key, (seen.get(key) ?? new Set()).add(page));
  }
  const withText = all.filter((lines) => lines.length > 0).length;
  const usual = Math.max(MIN_PAGES, withText * MIN_PAGE_SHARE);
  const running = all.map((): Line[] => []);
  for (const { keys, page, line } of candidates) {
    // Numbers need only the fixed minimum, since few pages have roman numerals.
    const minPages = numberAlone.test(line.text) ? MIN_PAGES : usual;
    if (keys.some((key) => (seen.get(key)?.size ?? 0) >= minPages)) running[page]?.push(line);
  }
  return running.map((lines, page) => apart(lines, all[page] ?? []));
}

function candidatesOf(lines: readonly Line[], page: number, height: number): Candidate[] {
  const usual = median(lines.map(({ box }) => box.height));
  const isSmall = ({ box, text }: Line) => box.height <= usual * 1.25 && text.length <= MAX_CHARACTERS;
  const middle = ({ box }: Line) => box.y + box.height / 2;
  const marginOf = ({ text }: Line) => height * (numberAlone.test(text) ? NUMBER_MARGIN : MARGIN);
  const top = lines.slice(0, MAX_LINES).filter((line) => middle(line) < marginOf(line) && isSmall(line));
  const foot = lines.slice(-MAX_LINES).filter((line) => middle(line) > height - marginOf(line) && isSmall(line));
  return [...top.map((line) => ({ line, end: 'top' })), ...foot.map((line) => ({ line, end: 'foot' }))].map(
    ({ line, end }) => ({ page, line, keys: keysOf(line.text, page).map((key) => `${end} ${key}`) }),
  );
}

/**
 * The text without numbers, and the difference of each number to the page index, which is constant for page numbers.
 */
function keysOf(text: string, page: number): string[] {
  const numbers = text.match(/(?<![\d.,])\d{1,4}(?![\d,]|\.\d)/g) ?? [];
  return [
    ...(numberAlone.test(text) ? [] : [text.replace(/\d+|^[ivxlc]+(?= )|(?<= )[ivxlc]+$/g, '#').toLowerCase()]),
    ...numbers.map((number) => `${Number(number) - page}`),
    ...(romanOf(text) === null ? [] : [`roman ${(romanOf(text) ?? 0) - page}`]),
  ];
}

/** The page number in lower-case roman numerals at the start or end of a line; null for another line. */
function romanOf(text: string): number | null {
  const numeral = /^([ivxlc]+)(?= |$)|(?:^| )([ivxlc]+)$/.exec(text);
  const letters = numeral?.[1] ?? numeral?.[2];
  if (letters === undefined) return null;
  const values = Array.from(letters, (letter) => [1, 5, 10, 50, 100]['ivxlc'.indexOf(letter)] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}

/** The running lines with a gap to the text; a repeated table header has none. */
function apart(running: readonly Line[], lines: readonly Line[]): Line[] {
  const text = lines.filter((line) => !running.includes(line));
  if (text.length === 0) return [];
  return running.filter(({ box }) =>
    text.every((line) => {
      const gap = Math.max(line.box.y - (box.y + box.height), box.y - (line.box.y + line.box.height));
      return gap > Math.min(box.height, line.box.height) * 0.5;
    }),
  );
}

/** The blocks of a page without the text of the running lines. */
export function withoutLines(blocks: readonly LayoutBlock[], lines: readonly Line[]): LayoutBlock[] {
  let left = [...blocks];
  for (const line of lines) {
    const pattern = patternOf(line.text);
    left = left.flatMap((block) => {
      const { bbox, text } = block;
      if (bbox === undefined || !touches(line, bbox)) return [block];
      if (block.kind === 'table') return withoutRows(block, line);
      if (text === undefined) {
        const kept = (block.lines ?? []).filter((code) => !pattern.test(code));
        return kept.length > 0 || block.kind === 'figure' || block.kind === 'rule' ? [{ ...block, lines: kept }] : [];
      }
      const rest = text.replace(pattern, '').trim();
      return rest === '' ? [] : [{ ...block, text: rest }];
    });
  }
  return left;
}

function touches({ box }: Line, bbox: NonNullable<LayoutBlock['bbox']>): boolean {
  const y = box.y + box.height / 2;
  return y >= bbox.y - 1 && y <= bbox.y + bbox.height + 1 && box.x < bbox.x + bbox.width && bbox.x < box.x + box.width;
}

function withoutRows(table: LayoutBlock, line: Line): LayoutBlock[] {
  const rows = [...(table.header ? [table.header] : []), ...(table.rows ?? [])];
  const kept = rows.filter((row) => {
    const middles = row.flatMap(({ bbox }) => (bbox === undefined ? [] : [bbox.y + bbox.height / 2]));
    return !middles.some((y) => y >= line.box.y && y <= line.box.y + line.box.height);
  });
  if (kept.length === rows.length) return [table];
  const [header, ...rest] = kept;
  return header === undefined ? [] : [{ ...table, header, rows: rest }];
}

/** Pattern of the line at the start or end of a block, with the emphasis marks that may be in it. */
function patternOf(text: string): RegExp {
  const characters = Array.from(text.replace(/\s+/g, ''), (character) =>
    character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  );
  const line = characters.join('[\\s*_\\\\]*');
  return new RegExp(`^[\\s*_\\\\]*${line}[*_]*(?=\\s|$)|(?<=\\s|^)[*_]*${line}[\\s*_]*$`, 'u');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
