/** Repairs words that the layout parser splits after a ligature, whose glyph is narrower than its letters. */
import type { ParsedPage } from '@llamaindex/liteparse';

/** Share of a word's height up to which a gap is not a space. */
const NO_GAP = 0.06;

/** The page's Markdown with these words joined, such as "fi elds" where the page has no space in "fields". */
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
    // Whole words only: "fi les" is also in "wi-fi lessons".
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}-])${pair.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
      'gu',
    );
    whole = whole.replace(pattern, (found) => found.replace(' ', ''));
  }
  return whole;
}
