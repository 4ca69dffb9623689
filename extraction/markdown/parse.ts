/** Markdown as a tree of blocks (mdast, CommonMark with GFM), with positions within the whole text. */
import type { RootContent } from 'mdast';
import { collectDefinitions } from './definitions.ts';
import { capNesting } from './nesting.ts';
import { move, nodesOf, spanOf } from './nodes.ts';
import { parsePiece } from './pieces.ts';

export type ParseOptions = {
  /** False leaves links, emphasis and the like inside paragraphs as they are written. */
  inline: boolean;
};

declare module 'mdast' {
  interface TableData {
    /** The rows go on with those of the table before: it was too long for one piece. */
    continued?: boolean;
  }
}

/**
 * The top-level blocks in order. Each piece of the text is parsed when its blocks are asked for, so a long text takes the
 * memory of a piece. Every position's offsets and lines are those of the whole text. Nesting beyond a sensible depth
 * stays unparsed text, so the time is bounded by the length. Paragraphs and lists of more than 64 kB come as several,
 * tables as one and what continues it.
 */
export function* parseMarkdown(markdown: string, { inline }: ParseOptions): Generator<RootContent> {
  const { text, restore } = capNesting(markdown.replace(/\r(?!\n)/g, '\n').replace(/^\uFEFF/, ' '));
  const definitions = inline ? collectDefinitions(text) : new Map<string, string>();
  let line = 0;
  let inTable = false;
  for (let start = 0; start < text.length; ) {
    const { blocks, end } = parsePiece(text, start, inTable, inline, definitions);
    for (const block of blocks) {
      for (const node of nodesOf(block)) {
        move(node, start, line);
        if ('value' in node) node.value = restore(node.value);
      }
      yield block;
    }
    const last = blocks.at(-1);
    inTable = last?.type === 'table' && !/\n[ \t]*\n/.test(text.slice(spanOf(last).end, end));
    line += countLines(text, start, end);
    start = end;
  }
}

function countLines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
