/** Word-level precision and recall of a text against the expected text. */

export interface Overlap {
  precision: number;
  recall: number;
  f1: number;
}

export interface Counts {
  found: number;
  expected: number;
  common: number;
}

/** Returns the words of Markdown without link targets and syntax; each CJK character is a word. */
export function wordsOf(markdown: string): string[] {
  const text = markdown
    .replace(/\]\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)\)/g, ']')
    .replace(/<\/?[a-z][^>]*>/gi, ' ')
    .replace(/\[\^\w+\]:?/g, ' ')
    .replace(/^\s*(`{3,})\w*$/gm, ' ');
  return (
    text
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Counts the words of each text and the common words. */
export function countWords(found: string, expected: string): Counts {
  const left = new Map<string, number>();
  const wanted = wordsOf(expected);
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  const words = wordsOf(found);
  let common = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    common += 1;
    left.set(word, count - 1);
  }
  return { found: words.length, expected: wanted.length, common };
}

/** Counts words against a page's main text. Ignores the title, which precedes every text, marked or not. */
export function countMainText(markdown: string, main: readonly string[]): Counts {
  const title = /^# (.*)\n*/.exec(markdown);
  const expected = main.filter((text) => text.trim() !== title?.[1]?.trim()).join('\n');
  return countWords(markdown.slice(title?.[0].length ?? 0), expected);
}

export function addCounts(counts: readonly Counts[]): Counts {
  const all = { found: 0, expected: 0, common: 0 };
  for (const { found, expected, common } of counts) {
    all.found += found;
    all.expected += expected;
    all.common += common;
  }
  return all;
}

/** Returns precision, recall and F1, from 0 to 1. */
export function overlapOf({ found, expected, common }: Counts): Overlap {
  const precision = found === 0 ? 0 : common / found;
  const recall = expected === 0 ? 0 : common / expected;
  return { precision, recall, f1: common === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
