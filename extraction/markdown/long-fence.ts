/** Fenced code too long to be worth parsing: all of its lines are one text. */
import type { Code } from 'mdast';

/** Shorter ones cost the parser little. */
const longLength = 48 * 1024;
const opening = /(`{3,})([^`\n]*)\n|(~{3,})([^\n]*)\n/y;

/** The code that a fence of the text's margin opens at `start`, where it is long, and its end in the text. */
export function longFence(text: string, start: number): { block: Code; end: number } | null {
  opening.lastIndex = start;
  const opened = opening.exec(text);
  if (opened === null) return null;
  const fence = opened[1] ?? opened[3] ?? '';
  const begin = start + opened[0].length;
  const closing = new RegExp(`^ {0,3}${fence.charAt(0)}{${fence.length},}[ \\t]*$`, 'gm');
  closing.lastIndex = begin;
  const closed = closing.exec(text);
  const valueEnd = closed === null ? text.length : closed.index;
  if (valueEnd - begin < longLength) return null;
  const end = closed === null ? text.length : closed.index + closed[0].length;
  const [, lang = null, meta = null] = /^\s*(\S+)(?:\s+(\S.*?))?\s*$/.exec(opened[2] ?? opened[4] ?? '') ?? [];
  const value = text.slice(begin, valueEnd).replace(/\n$/, '');
  const lines = text.slice(start, end).split('\n').length;
  const position = { start: { line: 1, column: 1, offset: 0 }, end: { line: lines, column: 1, offset: end - start } };
  return { block: { type: 'code', lang, meta, value, position }, end };
}
