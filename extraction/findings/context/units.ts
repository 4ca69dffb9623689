/**
 * The smallest pieces that chunks are packed from: every character of a block belongs to exactly one, and between two
 * of them is nothing but white space.
 */
import type { Nodes, RootContent } from 'mdast';
import type { BlockKind } from '../../../contract/extraction.ts';
import type { LineIndex } from '../../markdown/lines.ts';
import { spanOf } from '../../markdown/nodes.ts';
import { countTokens } from './tokens.ts';

export type Unit = {
  start: number;
  end: number;
  tokens: number;
  kind: BlockKind;
  /** Depth of the heading that this unit is, else null. */
  heading: number | null;
  /** What a chunk that begins with this unit needs; null for the begin of a block, or of a part of it. */
  opening: Opening | null;
};

/** The line of a fence, or the lines of a table's header. */
export type Opening = { text: string; tokens: number };

const kinds: Partial<Record<RootContent['type'], BlockKind>> = {
  heading: 'heading',
  list: 'list',
  blockquote: 'quote',
  code: 'code',
  table: 'table',
  html: 'html',
};

/**
 * Returns a function that cuts the next top-level block into units of at most `maxTokens`, opening included. One within
 * that stays whole; of a larger one, lists are cut at items, tables at rows, code at lines, paragraphs at lines, then
 * sentences, then words.
 */
export function unitCutter(markdown: string, lines: LineIndex): (block: RootContent, maxTokens: number) => Unit[] {
  /** Of the last table: a long one comes as several. */
  let header: Opening | null = null;

  return (block, maxTokens) => {
    if (block.type === 'yaml') return [];
    const units: Unit[] = [];
    const kind = kinds[block.type] ?? 'text';

    function add(start: number, end: number, place: Pick<Unit, 'heading' | 'opening'>, smaller: () => void): void {
      if (start >= end) return;
      const room = maxTokens - (place.opening?.tokens ?? 0);
      // That many characters are certainly too many tokens, and counting them at each level costs.
      const tokens = end - start > maxTokens * 64 ? null : countTokens(markdown.slice(start, end));
      if (tokens !== null && tokens <= room) units.push({ start, end, tokens, kind, ...place });
      else smaller();
    }

    function addNode(node: Nodes, start: number, end: number, opening: Opening | null): void {
      const heading = node.type === 'heading' ? node.depth : null;
      add(start, end, { heading, opening }, () => {
        if (node.type === 'table') addRows(node.children, start, end, opening);
        else if (hasBlocks(node)) addChildren(node.children, start, end, opening);
        else if (node.type === 'code') addText(start, end, [lineBreak], opening, openingOf(start, 1, maxTokens));
        else addText(start, end, textBreaks, opening, opening);
      });
    }

    /** Cuts [start, end) before each child but the first, at its line's start where only markers stand before it. */
    function addChildren(children: Nodes[], start: number, end: number, opening: Opening | null): void {
      let from = start;
      children.forEach((child, index) => {
        const following = children[index + 1];
        const to = following === undefined ? end : beginOf(following, from);
        addNode(child, from, to, opening);
        from = to;
      });
      if (children.length === 0) addText(start, end, textBreaks, opening, opening);
    }

    /** The first row is the header, with the line below it, unless the table continues another. */
    function addRows(rows: Nodes[], start: number, end: number, opening: Opening | null): void {
      const own = opening ?? openingOf(start, 2, maxTokens);
      const [first, second, ...more] = rows;
      if (first === undefined || second === undefined) {
        addChildren(rows, start, end, own);
        return;
      }
      const below = beginOf(second, start);
      addNode(first, start, below, opening);
      addChildren([second, ...more], below, end, own);
    }

    /** The first lines of a block, unless they would take more than half of a chunk. */
    function openingOf(start: number, count: number, limit: number): Opening | null {
      let end = start;
      for (let line = 0; line < count; line += 1) {
        const lineEnd = markdown.indexOf('\n', end + (line === 0 ? 0 : 1));
        end = lineEnd === -1 ? markdown.length : lineEnd;
        if (end - start > limit * 8) return null;
      }
      const source = markdown.slice(start, end);
      // An indented code block has no fence.
      if (count === 1 && !/^(`{3,}|~{3,})/.test(source)) return null;
      const text = source.replace(/\n[\s>]*/g, '\n').trimEnd();
      const tokens = countTokens(`${text}\n`);
      return tokens <= limit / 2 ? { text, tokens } : null;
    }

    function beginOf(node: Nodes, notBefore: number): number {
      const { start } = spanOf(node);
      const lineStart = lines.lineStart(start);
      return lineStart >= notBefore && /^[\s>]*$/.test(markdown.slice(lineStart, start)) ? lineStart : start;
    }

    /** The first piece has `opening`, those behind it `inner`. */
    function addText(
      start: number,
      end: number,
      breaks: RegExp[],
      opening: Opening | null,
      inner: Opening | null,
    ): void {
      const [pattern, ...finer] = breaks;
      if (pattern === undefined) {
        addPieces(start, end, opening);
        return;
      }
      const text = markdown.slice(start, end);
      const addPiece = (from: number, to: number) => {
        const own = from === 0 ? opening : inner;
        add(start + from, start + to, { heading: null, opening: own }, () =>
          addText(start + from, start + to, finer, own, inner),
        );
      };
      let from = 0;
      for (const match of text.matchAll(pattern)) {
        const to = match.index + match[0].length;
        addPiece(from, to);
        from = to;
      }
      addPiece(from, text.length);
    }

    /** Text without any place to break, cut between code points. */
    function addPieces(start: number, end: number, opening: Opening | null): void {
      for (let from = start; from < end; ) {
        let to = Math.min(end, from + Math.max(2, Math.floor((maxTokens - (opening?.tokens ?? 0)) / 4)));
        if (to < end && isHighSurrogate(markdown.charCodeAt(to - 1))) to -= 1;
        const tokens = countTokens(markdown.slice(from, to));
        units.push({ start: from, end: to, tokens, kind, heading: null, opening });
        from = to;
      }
    }

    const { start, end } = spanOf(block);
    const continues = block.type === 'table' && block.data?.continued === true;
    if (block.type === 'table' && !continues) header = openingOf(start, 2, maxTokens);
    addNode(block, start, end, continues ? header : null);
    return units;
  };
}

const lineBreak = /\n/g;
const textBreaks = [/\n\s*\n/g, lineBreak, /[.!?。！？…]["'”’)\]]*\s+|[。！？]/g, /\s+/g];

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const containers = new Set(['list', 'listItem', 'blockquote', 'footnoteDefinition']);

function hasBlocks(node: Nodes): node is Extract<Nodes, { children: unknown[] }> {
  return containers.has(node.type) && 'children' in node;
}
