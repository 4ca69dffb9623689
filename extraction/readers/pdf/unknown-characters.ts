/** Glyphs whose font does not say which characters they are: they come as control or private characters. */
import { SourceError } from '../../../contract/errors.ts';
import type { ReadingWarning } from '../../../contract/extraction.ts';

const one = '(?![\\t\\n\\r])[\\p{Cc}\\p{Co}\\ufffd]';
const unknown = new RegExp(one, 'gu');
const cause = 'the fonts of the PDF do not say which characters their glyphs are';
/** Words that are looked at to tell whether a page is of letters that stand for others. */
const FEWEST_WORDS = 50;

/** A page's Markdown with bullets for what begins lines, and the replacement character for what else is not known. */
export function withKnownCharacters(markdown: string): string {
  if (markdown.search(unknown) === -1) return markdown;
  return markdown
    .replace(new RegExp(`^${one} ?(?=[\\p{L}\\p{N}"“(*])`, 'gmu'), '- ')
    .replace(new RegExp(`(?<=^|\\s)${one}(?=\\s|$)`, 'gmu'), '•')
    .replace(/^•$\n?/gm, '')
    .replace(unknown, '\ufffd');
}

/** True for Markdown that has no letter or digit but unknown ones. */
export function isUnknown(markdown: string): boolean {
  return markdown.includes('\ufffd') && !/[\p{L}\p{N}]/u.test(markdown);
}

/** @returns the error of a PDF of which no character is known */
export function unknownError(): SourceError {
  const message = `No character of the PDF could be told: ${cause}.`;
  return new SourceError('content_empty', `${message} Run it through text recognition (OCR) and send the result.`);
}

/** Says on how many pages what is read is not what the page shows. */
export function unknownWarnings(pages: readonly string[]): ReadingWarning[] {
  const count = pages.reduce((sum, page) => sum + (page.match(/\ufffd/g)?.length ?? 0), 0);
  const garbled = pages.filter(isGarbled).length;
  return [
    ...(count === 0
      ? []
      : [{ code: 'characters_unknown', message: `${count} characters could not be told and stand as �: ${cause}.` }]),
    ...(garbled === 0
      ? []
      : [
          {
            code: 'text_garbled',
            message: `The text of ${garbled} of ${pages.length} pages is likely not what they show: ${cause}.`,
          },
        ]),
  ];
}

/** Words of Latin letters without a vowel are rare in any language that is written with them. */
function isGarbled(markdown: string): boolean {
  const words = markdown.match(/(?<![\p{L}\p{N}])[a-z]{4,}(?![\p{L}\p{N}])/giu) ?? [];
  const without = words.filter((word) => !/[aeiouy]/i.test(word));
  return words.length >= FEWEST_WORDS && without.length > words.length * 0.35;
}
