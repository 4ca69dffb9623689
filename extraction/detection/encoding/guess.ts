/** Guesses the encoding of bytes without a declaration: the one whose decoding is the most plausible text. */
import { detect } from 'chardet';
import { alphabets } from './languages.ts';
import { alphabetWeight, meanWeight, multibyte, unicodeWeight } from './plausible.ts';

const SAMPLE_LENGTH = 32 * 1024;
/** A decoding with a lower weight counts as wrong. In a correct one at least half of the characters are frequent. */
const MIN_WEIGHT = 0.3;

/** Penalties of rare encodings: capitals of windows-1251 decode to punctuation before words in x-mac-cyrillic. */
const penalties: Readonly<Record<string, number>> = { 'x-mac-cyrillic': 0.02 };

/** The encoding of bytes that are not UTF-8, as a label for `TextDecoder`. */
export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_LENGTH);
  const utf16 = utf16ByCharacters(sample);
  if (utf16 !== null) return utf16;
  let best = { label: '', weight: MIN_WEIGHT };
  const consider = (label: string, weight: number) => {
    if (weight > best.weight) best = { label, weight };
  };
  for (const [label, weigh] of multibyte) {
    const text = decodeStrictly(sample, label);
    // In ideographic text about half of the characters are frequent, so the weight is scaled to that of an alphabet.
    if (text !== null) consider(label, Math.min(1.1, meanWeight(text, weigh) * 1.8));
  }
  const texts = new Map<string, string | null>();
  for (const alphabet of alphabets) {
    for (const label of alphabet.encodings) {
      const text = texts.get(label) ?? decodeStrictly(sample, label);
      texts.set(label, text);
      if (text !== null) consider(label, alphabetWeight(text, alphabet) - (penalties[label] ?? 0));
    }
  }
  if (best.label !== '') return best.label;
  const detected = detect(sample);
  return detected !== null && isKnown(detected) ? detected : 'windows-1252';
}

/** UTF-16 without a byte order mark, detected by frequent characters in one of the two byte orders; else null. */
export function utf16ByCharacters(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const sample = bytes.subarray(0, Math.min(bytes.length, SAMPLE_LENGTH));
  if (bytes.length % 2 === 1 || bytes.length < 8) return null;
  const little = unicodeWeight(new TextDecoder('utf-16le').decode(sample));
  const big = unicodeWeight(new TextDecoder('utf-16be').decode(sample));
  if (Math.max(little, big) < 0.45 || Math.abs(little - big) < 0.2) return null;
  return little > big ? 'utf-16le' : 'utf-16be';
}

/**
 * The text, or null where the bytes are invalid in this encoding. A character cut by the end of the sample is dropped.
 */
function decodeStrictly(sample: Uint8Array, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return null;
  }
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
