/** Sentences of prose in any script, by the rules of Unicode (UAX 29) and the abbreviations that they do not know. */
import { isAbbreviation } from './abbreviations.ts';

/** UTF-16 code units of the end of a sentence that are looked at: more than any abbreviation and the space after it. */
const longestEnd = 24;
const lastWord = /(?:^|[^\p{L}\p{M}\p{N}.’'-])(\p{L}[\p{L}\p{M}.]*)\.$/u;
const lastNumber = /(?:^|[^\p{L}\p{N}.,])\d{1,2}\.$/u;
/** A question or exclamation that somebody is quoted with, within a sentence: `"Why?" and went`. */
const quoted = /[?!…]["'”’»)\]]$/u;
const letterOrDigit = /[\p{L}\p{N}]/u;

/** Languages that write ordinals with a full stop: "am 3. Oktober". */
const dottedOrdinals = new Set(['cs', 'da', 'de', 'et', 'fi', 'hr', 'hu', 'lv', 'nb', 'nn', 'no', 'pl', 'sk', 'sl']);

/**
 * How many sentences the texts have, each text for itself; what has no letter and no digit is none. `language`: ISO
 * 639-1, for its abbreviations. A capital before a full stop counts as an initial. Linear in the length of the texts.
 */
export function countSentences(texts: readonly string[], language: string): number {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  // The rules end a sentence at each line break: within a text it is a space, and one stands between two texts. To
  // segment each of 400,000 short texts alone took 1.8 s.
  const lines = texts.map((text) => text.replace(/[\r\n\u0085\u2028\u2029]/g, ' ')).join('\n');
  let count = 0;
  let before = '';
  for (const { segment } of segmenter.segment(lines)) {
    const hasContent = letterOrDigit.test(segment);
    if (hasContent && !continues(before, segment, language)) count += 1;
    if (segment.endsWith('\n')) before = '';
    else if (hasContent) before = segment.trimEnd().slice(-longestEnd);
  }
  return count;
}

/** True when the sentence that ends with `before` by the rules goes on in `segment`. */
function continues(before: string, segment: string, language: string): boolean {
  if (quoted.test(before)) return /^\p{Ll}/u.test(segment);
  const [, word] = lastWord.exec(before) ?? [];
  if (word !== undefined) return isAbbreviation(word, language);
  return dottedOrdinals.has(language) && lastNumber.test(before);
}
