/** Plausibility of a decoded text as written language, from 0 (or below) to 1. */
import { frequentHangul, frequentKanji, frequentSimplified, frequentTraditional } from './frequent.ts';
import { type Alphabet, frequentLetters } from './languages.ts';

type Weigh = (character: string) => number;

const isKana: Weigh = (character) => (/^[\u3041-\u3096\u30a1-\u30fc]$/.test(character) ? 1 : 0);
const japanese: Weigh = (character) => (frequentKanji.has(character) ? 1 : isKana(character));
const korean: Weigh = (character) => {
  if (frequentHangul.has(character)) return 1;
  return /^[\uac00-\ud7a3]$/.test(character) ? 0.3 : 0;
};
const simplified: Weigh = (character) => (frequentSimplified.has(character) ? 1 : 0);
const traditional: Weigh = (character) => (frequentTraditional.has(character) ? 1 : 0);

/** Multi-byte encodings, with the weights of the characters of their languages. */
export const multibyte: readonly (readonly [encoding: string, weigh: Weigh])[] = [
  ['shift_jis', japanese],
  ['euc-jp', japanese],
  ['gb18030', simplified],
  ['big5', traditional],
  ['euc-kr', korean],
];

/** Mean weight of the characters beyond ASCII; 0 for a text without them. */
export function meanWeight(text: string, weigh: Weigh): number {
  let sum = 0;
  let count = 0;
  for (const character of text) {
    if (character.charCodeAt(0) < 0x80) continue;
    count += 1;
    sum += weigh(character);
  }
  return count === 0 ? 0 : sum / count;
}

const alphabetic = /^[\t\n\r\x20-\x7e\u00c0-\u024f\u0370-\u05ff\u0600-\u06ff\u0900-\u097f\u0e00-\u0e7f\u2010-\u2026]$/;

/** The share of frequent characters in text decoded as UTF-16. */
export function unicodeWeight(text: string): number {
  let sum = 0;
  let count = 0;
  for (const character of text) {
    count += 1;
    const code = character.charCodeAt(0);
    // No text has control characters or lone surrogates.
    if ((code < 32 && !/\s/.test(character)) || (code >= 0xd800 && character.length === 1)) sum -= 1;
    else if (alphabetic.test(character)) sum += 1;
    else sum += Math.max(japanese(character), korean(character), simplified(character), traditional(character));
  }
  return count === 0 ? 0 : sum / count;
}

/** Punctuation and symbols of all languages. */
const typography = /^[\u00a0«»“”„‘’‚–—…•·°§©®™€£²³½¼¾×±´¡¿№‹›]$/;

/** How well the characters beyond ASCII fit the language: 1 where all are its letters in plausible places. */
export function alphabetWeight(text: string, { letters, words }: Alphabet): number {
  const own = new Set(letters + letters.toUpperCase());
  const isLatin = /^\p{sc=Latin}/u.test(letters);
  let sum = 0;
  let count = 0;
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character.charCodeAt(0) < 0x80) continue;
    const before = text.charAt(at - 1);
    if (own.has(character)) {
      count += 1;
      sum += letterWeight(character, before, text.charAt(at + 1), isLatin);
    } else if (
      typography.test(character) &&
      !(character === '€' && isLetter(before)) &&
      !(isLetter(before) && isLetter(text.charAt(at + 1)) && character !== '’')
    ) {
      marks += 1;
    } else {
      count += 1;
      sum -= 1;
    }
  }
  if (count === 0) return marks > 0 ? 0.5 : 0;
  return sum / count + (words.test(text) ? 0.05 : 0);
}

function letterWeight(character: string, before: string, after: string, isLatin: boolean): number {
  const lower = character.toLowerCase();
  // In Vietnamese, tone marks follow vowels.
  if (/^\p{M}$/u.test(character) && isLatin) return /^[aeiouyăâêôơư]$/i.test(before) ? 1 : -1;
  const isUpper = lower !== character;
  // "wORD", and below a Cyrillic letter between Latin ones, result from a wrong decoding.
  if (isUpper && isLetter(before) && before === before.toLowerCase() && before !== before.toUpperCase()) return -1;
  if (!isLatin && (/[a-z]/i.test(before) || /[a-z]/i.test(after))) return 0;
  const weight = isLatin || frequentLetters.has(lower) ? 1 : 0.5;
  return isUpper && isLetter(before) ? weight - 0.3 : weight;
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character);
}
