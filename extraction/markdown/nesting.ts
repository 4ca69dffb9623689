/**
 * Micromark's time grows with the square of the nesting: 50,000 ">" or 1,500 list levels hang it. So container
 * markers beyond a depth that nobody reads are hidden from the parser, each behind one private-use character, which
 * keeps every offset as it is.
 */

const maxMarkersOfLine = 24;
const maxIndentColumns = 96;

const hideable = '>-+*.):';

export type CappedMarkdown = {
  /** Same length as the input; equal to it unless something was nested too deeply. */
  text: string;
  /** Gives a piece of the parsed tree its own characters back. */
  restore: (piece: string) => string;
};

/** Hides container markers (quotes, list items, footnotes) that are nested beyond any sensible depth. */
export function capNesting(markdown: string): CappedMarkdown {
  const hidden = new Map<number, string>();
  for (let start = 0; start < markdown.length; ) {
    const newline = markdown.indexOf('\n', start);
    const end = newline === -1 ? markdown.length : newline;
    collectDeepMarkers(markdown, start, end, hidden);
    start = end + 1;
  }
  if (hidden.size === 0) return { text: markdown, restore: (piece) => piece };

  const base = freePrivateUseBlock(markdown);
  const parts: string[] = [];
  let last = 0;
  for (const [offset, mark] of hidden) {
    parts.push(markdown.slice(last, offset), String.fromCharCode(base + hideable.indexOf(mark)));
    last = offset + 1;
  }
  parts.push(markdown.slice(last));
  const blockEnd = base + hideable.length - 1;
  const pattern = new RegExp(`[${String.fromCharCode(base)}-${String.fromCharCode(blockEnd)}]`, 'g');
  return {
    text: parts.join(''),
    restore: (piece) => piece.replace(pattern, (character) => hideable.charAt(character.charCodeAt(0) - base)),
  };
}

function collectDeepMarkers(markdown: string, start: number, end: number, hidden: Map<number, string>): void {
  let markers = 0;
  let columns = 0;
  for (let at = start; at < end; ) {
    const character = markdown.charAt(at);
    if (character === ' ' || character === '\t') {
      columns += character === '\t' ? 4 : 1;
      at += 1;
      continue;
    }
    const mark = markerEnd(markdown, at, end);
    if (mark === null) return;
    markers += 1;
    if (markers > maxMarkersOfLine || columns > maxIndentColumns) hidden.set(mark, markdown.charAt(mark));
    at = mark + 1;
  }
}

const numberMarker = /\d{1,9}[.)](?=[ \t\n]|$)/y;
const footnoteMarker = /\[\^[^\]\n]{1,200}\]:/y;

/** The offset of the last character of the container marker that begins at `at`, or null when none does. */
function markerEnd(markdown: string, at: number, end: number): number | null {
  const character = markdown.charAt(at);
  if (character === '>') return at;
  if (character === '-' || character === '+' || character === '*') {
    const next = markdown.charAt(at + 1);
    return at + 1 >= end || next === ' ' || next === '\t' ? at : null;
  }
  const pattern = character === '[' ? footnoteMarker : numberMarker;
  pattern.lastIndex = at;
  const match = pattern.exec(markdown);
  return match === null ? null : at + match[0].length - 1;
}

/** The first of eight private-use code units of which the text holds none. */
function freePrivateUseBlock(markdown: string): number {
  const used = new Set<number>();
  for (const match of markdown.matchAll(/[\uE000-\uF8FF]/g)) used.add(match[0].charCodeAt(0) >> 3);
  for (let block = 0xe000 >> 3; block <= 0xf8ff >> 3; block += 1) if (!used.has(block)) return block << 3;
  return 0xe000;
}
