/**
 * Where a long Markdown text may be cut so that each piece parses as it would within the whole. Micromark's time and
 * memory grow faster than its input: 1 MB took 3.5 s and 600 MB in one piece, half the time and 60 MB in small ones.
 */

const segmentLength = 48 * 1024;
/** Beyond this even a paragraph is cut: a log of 50,000 lines without a blank one took 20 s. */
const paragraphLength = 64 * 1024;

/** Not indented, and no container, table row, raw HTML, definition or setext underline. */
const plainLine = '(?![ \\t\\n>|<=[]|[-+*](?:[ \\t\\n]|$)|--|\\d{1,9}[.)](?:[ \\t\\n]|$))';
/** After a blank line a plain line ends every list, quote and paragraph above it. */
const freshBlock = new RegExp(`\\n[ \\t]*\\n${plainLine}`, 'g');
const freshLine = new RegExp(`\\n${plainLine}`, 'g');

/**
 * The next offset from which parsing may start anew, at least `atLeast` beyond `from`, or the text's length. Within
 * an open fence or raw HTML the offset is wrong; the caller sees that in the parsed piece and asks for a longer one.
 */
export function nextCut(text: string, from: number, atLeast = segmentLength): number {
  const slack = Math.max(paragraphLength - segmentLength, atLeast / 4);
  if (text.length - from <= atLeast + slack) return text.length;
  const fresh = cutAfter(freshBlock, text, from + atLeast);
  if (fresh <= from + atLeast + slack) return fresh;
  return Math.min(fresh, cutAfter(freshLine, text, from + atLeast + slack));
}

function cutAfter(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? text.length : match.index + match[0].length;
}
