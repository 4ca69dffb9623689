/**
 * Where a long Markdown text may be cut so that each piece parses as it would within the whole. Micromark's time and
 * memory grow faster than its input: 1 MB took 3.5 s and 600 MB in one piece, half the time and 60 MB in small ones.
 */

const segmentLength = 48 * 1024;
/** Beyond this paragraphs, tables and lists are cut too: a log of 50,000 lines without a blank one took 20 s. */
const blockLength = 64 * 1024;
/** Beyond this anything is cut, at a line, else within it. */
const forcedLength = 256 * 1024;

/** Not indented, and no container, table row, raw HTML, definition or setext underline. */
const plainLine = '(?![ \\t\\n>|<=[]|[-+*](?:[ \\t\\n]|$)|--|\\d{1,9}[.)](?:[ \\t\\n]|$))';
/** An item that begins a list of its own wherever it stands, or a table's row that is not its second. */
const itemOrRow = '(?=[-+*] +[^ \\n]|\\|(?![ \\t]*:?-))';
/** After a blank line a plain line ends every list, quote and paragraph above it. */
const freshBlock = new RegExp(`\\n[ \\t]*\\n${plainLine}`);
const freshLine = new RegExp(`\\n(?:${plainLine}|${itemOrRow})`);
const anyLine = /\n(?=[^\n=|-])/;
const anyWord = /[ \t](?=\p{L})/u;

/**
 * The next offset from which parsing may start anew, at least `atLeast` beyond `from`, or the text's length. Within
 * an open fence or raw HTML the offset is wrong; the caller sees that in the parsed piece and asks for a longer one.
 */
export function nextCut(text: string, from: number, atLeast = segmentLength): number {
  const slack = Math.max(blockLength - segmentLength, atLeast / 4);
  const end = from + atLeast + slack;
  if (text.length <= end) return text.length;
  const fresh = cutAfter(freshBlock, text, from + atLeast, end);
  if (fresh !== null) return fresh;
  const forced = Math.max(from + forcedLength, end);
  const line = cutAfter(freshLine, text, end, forced);
  if (line !== null || text.length <= forced) return line ?? text.length;
  const last = forced + blockLength;
  return (
    cutAfter(anyLine, text, forced, last) ?? cutAfter(anyWord, text, forced, last) ?? betweenCodePoints(text, last)
  );
}

/** Code units that a pattern looks at behind its match. */
const lookahead = 16;

/** The end of the first match between two offsets. Only that much is looked at, however long the text is. */
function cutAfter(pattern: RegExp, text: string, from: number, to: number): number | null {
  const match = text.slice(from, to + lookahead).match(pattern);
  const end = from + (match?.index ?? 0) + (match?.[0].length ?? 0);
  return match === null || end > to ? null : end;
}

function betweenCodePoints(text: string, at: number): number {
  const offset = Math.min(at, text.length);
  const splits = /[\uD800-\uDBFF]/.test(text.charAt(offset - 1));
  return splits ? offset - 1 : offset;
}
