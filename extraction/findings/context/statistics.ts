/** How much there is to read. */
import type { ExtractedContext } from '../../../contract/extraction.ts';
import { countSentences } from './sentences.ts';
import { countTokens } from './tokens.ts';

const wordsPerMinute = 230;

// Scripts that put no spaces between words need a dictionary, which is slow; all others do with a pattern.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’\-_.]*/gu;

/** Words in any script; addresses and numbers count as one each. */
export function countWords(text: string): number {
  let words = 0;
  let segmenter: Intl.Segmenter | undefined;
  const spaced = text.replace(unspaced, (run) => {
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
    for (const piece of segmenter.segment(run)) if (piece.isWordLike) words += 1;
    return ' ';
  });
  for (const _ of spaced.matchAll(word)) words += 1;
  return words;
}

export function countCodePoints(text: string): number {
  let surrogatePairs = 0;
  for (const _ of text.matchAll(/[\u{10000}-\u{10FFFF}]/gu)) surrogatePairs += 1;
  return text.length - surrogatePairs;
}

/** Counts over the Markdown (characters, tokens) and over its prose (words, sentences, reading time in seconds). */
export function statisticsOf(
  markdown: string,
  prose: string[],
  language: string | null,
  chunks: number,
): ExtractedContext['statistics'] {
  const words = countWords(prose.join('\n'));
  return {
    characters: countCodePoints(markdown),
    words,
    sentences: countSentences(prose, language ?? 'en'),
    tokens: countTokens(markdown),
    chunks,
    readingSeconds: Math.ceil((words / wordsPerMinute) * 60),
  };
}
