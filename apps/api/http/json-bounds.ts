/** Bounds of a JSON text, judged before it is parsed: what parsing and validating cost goes by entries, not by bytes. */

/** Far more than any body of the contract needs. */
const MAX_ENTRIES = 10_000;
/** PostgreSQL reads JSON recursively, and so do we. */
export const MAX_LEVELS = 100;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Which bound a text in UTF-8 goes beyond, as a sentence, or null. Whether it is JSON at all is not judged. */
export function boundExceeded(text: Uint8Array): string | null {
  let entries = 0;
  let level = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text[index]) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        level += 1;
        entries += 1;
        if (level > MAX_LEVELS) return `Must not nest deeper than ${MAX_LEVELS} levels.`;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        level -= 1;
        break;
      case COMMA:
        entries += 1;
        break;
    }
    if (entries > MAX_ENTRIES) return `Must have at most ${MAX_ENTRIES} entries in all.`;
  }
  return null;
}

/** The index of the quotation mark that ends the string which begins at `start`; the last index where none does. */
function endOfString(text: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== QUOTE) index += text[index] === BACKSLASH ? 2 : 1;
  return index;
}
