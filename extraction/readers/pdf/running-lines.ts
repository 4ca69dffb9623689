/** Running heads and feet: lines at the top or foot of a page that come again on others, and page numbers. */
import type { LayoutBlock, ParsedPage } from '@llamaindex/liteparse';
import { type Line, linesOf } from './lines.ts';

/** Shares of a page's height at its top and foot in which running lines stand. */
const MARGIN = 0.14;
/** The same of a number alone, which wide margins may be below of. */
const NUMBER_MARGIN = 0.22;
/** Lines at either end of a page that are looked at. */
const DEEPEST = 3;
/** Characters of a line. */
const LONGEST = 300;
const FEWEST_PAGES = 3;
/** Of all pages that have text. */
const FEWEST_SHARE = 0.2;

const numberAlone = /^\W*(?:\d+|[ivxlc]+)\W*$/;

interface Candidate {
  page: number;
  line: Line;
  /** What it would share with the same line of other pages. */
  keys: string[];
}

/** For each page the lines that are none of its text. A page that has nothing else keeps them. */
export function runningLines(pages: readonly ParsedPage[]): Line[][] {
  const all = pages.map(linesOf);
  const candidates = all.flatMap((lines, page) => candidatesOf(lines, page, pages[page]?.height ?? 0));
  const seen = new Map<string, Set<number>>();
  for (const { keys, page } of candidates) {
    for (const key of keys) seen.set(key, (seen.get(key) ?? new Set()).add(page));
  }
  const withText = all.filter((lines) => lines.length > 0).length;
  const usual = Math.max(FEWEST_PAGES, withText * FEWEST_SHARE);
  const running = all.map((): Line[] => []);
  for (const { keys, page, line } of candidates) {
    // Few pages are numbered in roman numerals.
    const enough = numberAlone.test(line.text) ? FEWEST_PAGES : usual;
    if (keys.some((key) => (seen.get(key)?.size ?? 0) >= enough)) running[page]?.push(line);
  }
  return running.map((lines, page) => apart(lines, all[page] ?? []));
}

function candidatesOf(lines: readonly Line[], page: number, height: number): Candidate[] {
  const usual = median(lines.map(({ box }) => box.height));
  const isSmall = ({ box, text }: Line) => box.height <= usual * 1.25 && text.length <= LONGEST;
  const middle = ({ box }: Line) => box.y + box.height / 2;
  const marginOf = ({ text }: Line) => height * (numberAlone.test(text) ? NUMBER_MARGIN : MARGIN);
  const top = lines.slice(0, DEEPEST).filter((line) => middle(line) < marginOf(line) && isSmall(line));
  const foot = lines.slice(-DEEPEST).filter((line) => middle(line) > height - marginOf(line) && isSmall(line));
  return [...top.map((line) => ({ line, end: 'top' })), ...foot.map((line) => ({ line, end: 'foot' }))].map(
    ({ line, end }) => ({ page, line, keys: keysOf(line.text, page).map((key) => `${end} ${key}`) }),
  );
}

/** Its words, and how far each number in it is from the count of the page: the same on all pages for their number. */
function keysOf(text: string, page: number): string[] {
  const numbers = text.match(/(?<![\d.,])\d{1,4}(?![\d,]|\.\d)/g) ?? [];
  return [
    ...(numberAlone.test(text) ? [] : [text.replace(/\d+|^[ivxlc]+(?= )|(?<= )[ivxlc]+$/g, '#').toLowerCase()]),
    ...numbers.map((number) => `${Number(number) - page}`),
    ...(romanOf(text) === null ? [] : [`roman ${(romanOf(text) ?? 0) - page}`]),
  ];
}

/** The page number in small roman numerals that a line begins or ends with; null for another line. */
function romanOf(text: string): number | null {
  const numeral = /^([ivxlc]+)(?= |$)|(?:^| )([ivxlc]+)$/.exec(text);
  const letters = numeral?.[1] ?? numeral?.[2];
  if (letters === undefined) return null;
  const values = Array.from(letters, (letter) => [1, 5, 10, 50, 100]['ivxlc'.indexOf(letter)] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}

/** Those that stand apart from the text: the header of a table goes on in its rows. */
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

/** The blocks of a page without what running lines gave them. */
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

/** The line's characters at the beginning or the end of a block, with the marks of emphasis that may part them. */
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
