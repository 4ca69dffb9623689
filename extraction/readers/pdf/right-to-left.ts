/** Right-to-left text in reading order: the layout parser returns words in visual order. */
import type { LayoutBlock, LayoutCell, TextItem } from '@llamaindex/liteparse';
import { escapeInline } from '../../markdown/write.ts';
import { type Box, type Line, liesIn } from './lines.ts';

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const LEFT_TO_RIGHT = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;

/** The blocks of a page, with the words of right-to-left blocks in reading order. */
export function inReadingDirection(blocks: readonly LayoutBlock[], lines: readonly Line[]): LayoutBlock[] {
  if (!lines.some(({ text }) => RIGHT_TO_LEFT.test(text))) return [...blocks];
  const cell = (from: LayoutCell) => (isMostlyOfThem(from.text) ? { ...from, ...ordered(from.bbox, lines) } : from);
  return blocks.map((block) => {
    const { text, header, rows, bbox } = block;
    if (text !== undefined) {
      if (!isMostlyOfThem(text)) return block;
      const { text: plain } = ordered(bbox, lines);
      return plain === undefined ? block : { ...block, text: escapeInline(plain) };
    }
    return {
      ...block,
      ...(header && { header: header.map(cell) }),
      ...(rows && { rows: rows.map((row) => row.map(cell)) }),
    };
  });
}

function isMostlyOfThem(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).length > letters.length / 2;
}

/** The text of the lines within a box, or no property where there is none. */
function ordered(box: Box | undefined, lines: readonly Line[]): { text?: string } {
  if (box === undefined) return {};
  const texts = lines
    .map(({ items }) => lineOf(items.flatMap((item) => wordsOf(item)).filter((word) => liesIn(word, box))))
    .filter((text) => text !== '');
  return texts.length === 0 ? {} : { text: texts.join(' ') };
}

type Word = Box & { text: string };
const wordsOf = (item: TextItem): Word[] => (item.words === undefined || item.words.length === 0 ? [item] : item.words);

/** Words from right to left; left-to-right text between them keeps its order. */
function lineOf(words: readonly Word[]): string {
  const line: string[] = [];
  let other: string[] = [];
  for (const { text } of words.toSorted((a, b) => b.x + b.width - (a.x + a.width))) {
    const isOther = !RIGHT_TO_LEFT.test(text) && (LEFT_TO_RIGHT.test(text) || other.length > 0);
    if (isOther) {
      other.unshift(text);
      continue;
    }
    for (const word of inOrder(other)) line.push(word);
    line.push(markAtItsEnd(text));
    other = [];
  }
  return [...line, ...inOrder(other)].join(' ');
}

/** A single number keeps its punctuation where it is. */
const inOrder = (other: readonly string[]) => (other.length === 1 ? other.map(markAtItsEnd) : other);

/** Moves punctuation from the start of a word to its end: it is to the left of the word on the page. */
function markAtItsEnd(word: string): string {
  return word.replace(/^([.,:;!?،؛؟]+)(\S*[^.,:;!?،؛؟\s])$/u, '$2$1');
}
