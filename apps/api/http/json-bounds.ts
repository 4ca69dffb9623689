/** Bounds of a JSON text, checked before parsing: the cost of parsing and validation depends on entries, not bytes. */

/** Far more than any body of the contract needs. */
const MAX_ENTRIES = 10_000;
/** Limit of nesting: PostgreSQL and this service parse JSON recursively. */
export const MAX_LEVELS = 100;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The bound that a UTF-8 text exceeds, as a sentence, or null. Does not check whether the text is JSON. */
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

/** The index of the closing quotation mark of the string at `start`; beyond the text where there is none. */
function endOfString(text: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== QUOTE) index += text[index] === BACKSLASH ? 2 : 1;
  return index;
}
