/** Glyphs without a Unicode mapping in their font: the parser returns control or private-use characters for them. */
import { SourceError } from '../../../contract/errors.ts';
import type { ReadingWarning } from '../../../contract/extraction.ts';

const one = '(?![\\t\\n\\r])[\\p{Cc}\\p{Co}\\ufffd]';
const unknown = new RegExp(one, 'gu');
const cause = 'the fonts of the PDF do not declare the characters of their glyphs';
/** A page with fewer words is not checked for wrong letters. */
const MIN_WORDS = 50;

/** A page's Markdown with list bullets for unknown characters at line starts, and U+FFFD for the others. */
export function withKnownCharacters(markdown: string): string {
  if (markdown.search(unknown) === -1) return markdown;
  return markdown
    .replace(new RegExp(`^${one} ?(?=[\\p{L}\\p{N}"“(*])`, 'gmu'), '- ')
    .replace(new RegExp(`(?<=^|\\s)${one}(?=\\s|$)`, 'gmu'), '•')
    .replace(/^•$\n?/gm, '')
    .replace(unknown, '\ufffd');
}

/** True for Markdown whose letters and digits are all unknown. */
export function isUnknown(markdown: string): boolean {
  return markdown.includes('\ufffd') && !/[\p{L}\p{N}]/u.test(markdown);
}

/** The error for a PDF without any known character. */
export function unknownError(): SourceError {
  const message = `The text of the PDF cannot be read: ${cause}.`;
  return new SourceError('content_empty', `${message} Run it through text recognition (OCR) and send the result.`);
}

/** Warnings with the number of unknown characters, and of pages whose text is probably wrong. */
export function unknownWarnings(pages: readonly string[]): ReadingWarning[] {
  const count = pages.reduce((sum, page) => sum + (page.match(/\ufffd/g)?.length ?? 0), 0);
  const garbled = pages.filter(isGarbled).length;
  return [
    ...(count === 0
      ? []
      : [{ code: 'characters_unknown', message: `${count} characters are unknown and shown as �: ${cause}.` }]),
    ...(garbled === 0
      ? []
      : [
          {
            code: 'text_garbled',
            message: `The text of ${garbled} of ${pages.length} pages is probably wrong: ${cause}.`,
          },
        ]),
  ];
}

/** True where many Latin words have no vowel, which is rare in all languages. */
function isGarbled(markdown: string): boolean {
  const words = markdown.match(/(?<![\p{L}\p{N}])[a-z]{4,}(?![\p{L}\p{N}])/giu) ?? [];
  const without = words.filter((word) => !/[aeiouy]/i.test(word));
  return words.length >= MIN_WORDS && without.length > words.length * 0.35;
}
