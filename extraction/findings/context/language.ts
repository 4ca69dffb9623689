/** The language that a document is written in. */
import { detectAll } from 'tinyld';
import { languageByFunctionWords } from './function-words.ts';

/** Letters from which on the detector is right more often than a page's own declaration. */
const fewLetters = 20;
const manyLetters = 200;
/** Texts are judged in pieces of this length, at most so many of them, spread over the document. */
const pieceLength = 400;
const maxPieces = 16;
/** Texts of more pieces are first asked in three places: where these agree, the rest is not looked at. */
const sampledAbove = 3;
const sampleLength = 120;
/** Share of the letters that the winner must have. */
const majority = 0.6;
/**
 * How much more accurate the first guess must be than the second: "Water boils at a hundred degrees" is Danish by
 * 0.076 and Afrikaans by 0.074, which says neither.
 */
const margin = 1.2;

// A language of one character a word says more in fewer letters.
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * ISO 639-1 code of the prose, or null where it is too short or too mixed to tell. `hint` is what the document says
 * of itself (`<html lang>`); it decides short texts, while long ones are judged by their words, as many pages declare
 * the language of their template.
 */
export function languageOf(prose: string[], hint: string | null): string | null {
  const declared = normaliseHint(hint);
  const pieces = piecesOf(prose).map((text) => ({ text, letters: countLetters(text) }));
  const letters = pieces.reduce((sum, piece) => sum + piece.letters, 0);
  if (letters < manyLetters && declared !== null) return declared;
  if (letters < (pieces.some(({ text }) => dense.test(text)) ? 4 : fewLetters)) return declared;

  const agreed = agreedLanguage(pieces.map(({ text }) => text));
  if (agreed !== null) return agreed;

  // One technical name can turn the detector for a whole text, so each piece has a vote, by its letters.
  const votes = new Map<string, number>();
  let given = 0;
  let left = letters;
  for (const { text, letters: weight } of pieces) {
    const guess = guessLanguage(text);
    left -= weight;
    if (guess !== null) {
      const vote = weight * guess.accuracy;
      votes.set(guess.language, (votes.get(guess.language) ?? 0) + vote);
      given += vote;
    }
    // Nor can the rest turn it then: an accuracy is 1 at most.
    for (const [language, sum] of votes) if (sum > (given + left) * majority) return language;
  }
  return declared;
}

/** The language of the first, the middle and the last piece, if it is the same for all three. */
function agreedLanguage(pieces: readonly string[]): string | null {
  if (pieces.length <= sampledAbove) return null;
  const sample = [pieces[0], pieces[Math.floor(pieces.length / 2)], pieces.at(-1)];
  const [first, ...others] = sample.map((piece = '') => guessLanguage(piece, sampleLength)?.language);
  return first !== undefined && others.every((language) => language === first) ? first : null;
}

/**
 * The likeliest language, or null where the next one is as likely. Its function words decide where there are enough,
 * else the statistical detector, which takes a hundred times as long: it sees the first `sample` characters.
 */
function guessLanguage(text: string, sample = text.length): { language: string; accuracy: number } | null {
  const language = languageByFunctionWords(text);
  if (language !== null) return { language, accuracy: 1 };
  const [first, second] = detectAll(text.slice(0, sample));
  if (first === undefined || !/^[a-z]{2}$/.test(first.lang)) return null;
  if (first.accuracy < margin * (second?.accuracy ?? 0)) return null;
  return { language: first.lang, accuracy: first.accuracy };
}

/** Pieces of the prose without what is no word of any language: identifiers, file names, abbreviations. */
function piecesOf(prose: string[]): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const text of sentencesFirst(prose)) {
    const words = text
      .split(/\s+/)
      .filter((word) => !/[\d_/\\@=<>{}$|]|\p{L}[.:(]\p{L}|\p{Ll}\p{Lu}|^\p{Lu}{2,}/u.test(word));
    piece = `${piece} ${words.join(' ')}`.trim();
    for (; piece.length >= pieceLength; piece = piece.slice(pieceLength)) pieces.push(piece.slice(0, pieceLength));
  }
  if (piece !== '' && (pieces.length === 0 || piece.length > pieceLength / 4)) pieces.push(piece);
  const step = Math.max(1, pieces.length / maxPieces);
  return Array.from(
    { length: Math.min(maxPieces, pieces.length) },
    (_, index) => pieces[Math.floor(index * step)] ?? '',
  );
}

/** Sentences tell a language; headings and table cells are names. They count only where there is nothing else. */
function sentencesFirst(prose: string[]): string[] {
  const sentences = prose.filter((text) => text.length > 40 || /[.!?。！？]$/.test(text));
  return sentences.length > 0 ? sentences : prose;
}

function countLetters(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0;
}

/** The primary subtag of a BCP 47 tag, where it is a two-letter code. */
function normaliseHint(hint: string | null): string | null {
  const primary = /^([a-z]{2})(?:[-_]|$)/i.exec(hint?.trim() ?? '')?.[1];
  return primary?.toLowerCase() ?? null;
}
