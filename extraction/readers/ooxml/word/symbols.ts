/** Characters of symbol fonts, which Word stores by their code in the font. */

const wingdings: Readonly<Record<number, string>> = {
  74: '☺',
  108: '●',
  110: '■',
  111: '□',
  113: '❑',
  118: '❖',
  159: '•',
  167: '▪',
  168: '□',
  216: '➢',
  223: '←',
  224: '→',
  225: '↑',
  226: '↓',
  232: '➔',
  240: '⇨',
  251: '✗',
  252: '✓',
  253: '☒',
  254: '☑',
};

/** Adobe's Symbol encoding, from 0x41 on: Greek letters. */
const greekCapitals = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const greekSmall = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';
const symbol: Readonly<Record<number, string>> = {
  163: '≤',
  165: '∞',
  171: '↔',
  172: '←',
  173: '↑',
  174: '→',
  175: '↓',
  176: '°',
  177: '±',
  179: '≥',
  180: '×',
  182: '∂',
  183: '•',
  184: '÷',
  185: '≠',
  186: '≡',
  187: '≈',
  188: '…',
  210: '®',
  211: '©',
  212: '™',
  214: '√',
  222: '⇒',
  229: '∑',
  242: '∫',
};

/** The Unicode character of a `w:sym`; empty for an unknown one. */
export function symbolOf(font: string, code: string): string {
  const value = Number.parseInt(code, 16);
  if (!Number.isFinite(value)) return '';
  const place = value >= 0xf000 && value <= 0xf0ff ? value - 0xf000 : value;
  if (/^wingdings$/i.test(font)) return wingdings[place] ?? '';
  if (/^symbol$/i.test(font)) {
    if (place >= 0x41 && place <= 0x5a) return greekCapitals.charAt(place - 0x41);
    if (place >= 0x61 && place <= 0x7a) return greekSmall.charAt(place - 0x61);
    return symbol[place] ?? (place >= 0x20 && place < 0x41 ? String.fromCharCode(place) : '');
  }
  const isPrivate = value >= 0xe000 && value <= 0xf8ff;
  return isPrivate || value < 0x20 || value > 0x10ffff ? '' : String.fromCodePoint(value);
}
