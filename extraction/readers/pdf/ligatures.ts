/** Words that are cut behind a ligature, whose glyph is narrower than the letters that it stands for. */
import type { ParsedPage } from '@llamaindex/liteparse';

/** Share of a word's height up to which there is no space between two. */
const NO_GAP = 0.06;

/** The page's Markdown with such words whole: "fi elds" where nothing is between "fi" and "elds". */
export function withWholeWords(markdown: string, { textItems }: Pick<ParsedPage, 'textItems'>): string {
  const cut = new Set<string>();
  for (const { words = [] } of textItems) {
    for (const [at, word] of words.entries()) {
      const next = words[at + 1];
      if (next === undefined || !/(?:f[fil]|Th|ft)$/.test(word.text) || !/^\p{Ll}/u.test(next.text)) continue;
      if (next.x - (word.x + word.width) < word.height * NO_GAP) cut.add(`${word.text} ${next.text}`);
    }
  }
  let whole = markdown;
  for (const pair of cut) {
    // As a whole: "fi les" is no part of "wi-fi lessons".
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}-])${pair.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
      'gu',
    );
    whole = whole.replace(pattern, (found) => found.replace(' ', ''));
  }
  return whole;
}
