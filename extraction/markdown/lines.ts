/** Positions in Markdown: offsets in UTF-16 code units, lines counted from 1. */
import type { Position } from '../../contract/extraction.ts';

export type LineIndex = {
  /** The line (from 1) that holds the character at this offset. */
  lineAt: (offset: number) => number;
  /** Offset of the first character of the line that holds this offset. */
  lineStart: (offset: number) => number;
  position: (start: number, end: number) => Position;
};

/** Indexes the lines of a text once, so that each position costs a binary search. */
export function indexLines(text: string): LineIndex {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);

  function lineAt(offset: number): number {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  return {
    lineAt,
    lineStart: (offset) => starts[lineAt(offset) - 1] ?? 0,
    position: (start, end) => ({
      start,
      end,
      startLine: lineAt(start),
      endLine: lineAt(Math.max(start, end - 1)),
    }),
  };
}
