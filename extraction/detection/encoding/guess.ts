/** The encoding of bytes that nothing declares, by which decoding gives what people write. */
import { detect } from 'chardet';
import { alphabets } from './languages.ts';
import { alphabetWeight, meanWeight, multibyte, unicodeWeight } from './plausible.ts';

const SAMPLE_LENGTH = 32 * 1024;
/** Below this a decoding is taken for a wrong one. Of a right one, frequent characters make up half or more. */
const LEAST_WEIGHT = 0.3;

/** Hardly anybody writes it any more, and capitals of windows-1251 are marks in it, as they stand before words. */
const rare: Readonly<Record<string, number>> = { 'x-mac-cyrillic': 0.02 };

/** The encoding's label as `TextDecoder` takes it; of bytes that are not UTF-8. */
export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_LENGTH);
  const utf16 = utf16ByCharacters(sample);
  if (utf16 !== null) return utf16;
  let best = { label: '', weight: LEAST_WEIGHT };
  const offer = (label: string, weight: number) => {
    if (weight > best.weight) best = { label, weight };
  };
  for (const [label, weigh] of multibyte) {
    const text = strictly(sample, label);
    // The frequent half of an ideographic text weighs as much as an alphabetic one that fits wholly.
    if (text !== null) offer(label, Math.min(1.1, meanWeight(text, weigh) * 1.8));
  }
  const texts = new Map<string, string | null>();
  for (const alphabet of alphabets) {
    for (const label of alphabet.encodings) {
      const text = texts.get(label) ?? strictly(sample, label);
      texts.set(label, text);
      if (text !== null) offer(label, alphabetWeight(text, alphabet) - (rare[label] ?? 0));
    }
  }
  if (best.label !== '') return best.label;
  const counted = detect(sample);
  return counted !== null && isKnown(counted) ? counted : 'windows-1252';
}

/** UTF-16 without a mark whose characters are frequent ones, in one of the two orders of bytes; else null. */
export function utf16ByCharacters(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const sample = bytes.subarray(0, Math.min(bytes.length, SAMPLE_LENGTH));
  if (bytes.length % 2 === 1 || bytes.length < 8) return null;
  const little = unicodeWeight(new TextDecoder('utf-16le').decode(sample));
  const big = unicodeWeight(new TextDecoder('utf-16be').decode(sample));
  if (Math.max(little, big) < 0.45 || Math.abs(little - big) < 0.2) return null;
  return little > big ? 'utf-16le' : 'utf-16be';
}

/** The text, or null where these bytes are none in this encoding. A character that the sample's end cuts counts for nothing. */
function strictly(sample: Uint8Array, label: string): string | null {
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
