/**
 * The smallest pieces that chunks are packed from: every character of a block belongs to exactly one, and between two
 * of them is nothing but white space.
 */
import type { Nodes, RootContent } from 'mdast';
import type { LineIndex } from '../../markdown/lines.ts';
import { spanOf } from '../../markdown/nodes.ts';
import { countTokens } from './tokens.ts';

export type Unit = {
  start: number;
  end: number;
  tokens: number;
  /** Depth of the heading that this unit is, else null. */
  heading: number | null;
};

/**
 * Cuts a top-level block into units of at most `maxTokens`. One within that stays whole; of a larger one, lists are cut
 * at items, tables at rows, code at lines, paragraphs at lines, then sentences, then words.
 */
export function unitsOf(markdown: string, block: RootContent, lines: LineIndex, maxTokens: number): Unit[] {
  const units: Unit[] = [];

  function add(start: number, end: number, heading: number | null, smaller: () => void): void {
    if (start >= end) return;
    // That many characters are certainly too many tokens, and counting them at each level costs.
    const tokens = end - start > maxTokens * 64 ? null : countTokens(markdown.slice(start, end));
    if (tokens !== null && tokens <= maxTokens) units.push({ start, end, tokens, heading });
    else smaller();
  }

  function addNode(node: Nodes, start: number, end: number): void {
    const heading = node.type === 'heading' ? node.depth : null;
    add(start, end, heading, () => {
      if (hasBlocks(node)) addChildren(node.children, start, end);
      else addText(start, end, node.type === 'code' ? [lineBreak] : textBreaks);
    });
  }

  /** Cuts [start, end) before each child but the first, at its line's start where only markers stand before it. */
  function addChildren(children: Nodes[], start: number, end: number): void {
    let from = start;
    children.forEach((child, index) => {
      const following = children[index + 1];
      const to = following === undefined ? end : beginOf(following, from);
      addNode(child, from, to);
      from = to;
    });
    if (children.length === 0) addText(start, end, textBreaks);
  }

  function beginOf(node: Nodes, notBefore: number): number {
    const { start } = spanOf(node);
    const lineStart = lines.lineStart(start);
    return lineStart >= notBefore && /^[\s>]*$/.test(markdown.slice(lineStart, start)) ? lineStart : start;
  }

  function addText(start: number, end: number, breaks: RegExp[]): void {
    const [pattern, ...finer] = breaks;
    if (pattern === undefined) {
      addPieces(start, end);
      return;
    }
    const text = markdown.slice(start, end);
    let from = 0;
    for (const match of text.matchAll(pattern)) {
      const to = match.index + match[0].length;
      add(start + from, start + to, null, () => addText(start + from, start + to, finer));
      from = to;
    }
    const rest = from;
    add(start + rest, end, null, () => addText(start + rest, end, finer));
  }

  /** Text without any place to break, cut between code points. */
  function addPieces(start: number, end: number): void {
    for (let from = start; from < end; ) {
      let to = Math.min(end, from + Math.floor(maxTokens / 4));
      if (to < end && isHighSurrogate(markdown.charCodeAt(to - 1))) to -= 1;
      units.push({ start: from, end: to, tokens: countTokens(markdown.slice(from, to)), heading: null });
      from = to;
    }
  }

  if (block.type === 'yaml') return units;
  const { start, end } = spanOf(block);
  addNode(block, start, end);
  return units;
}

const lineBreak = /\n/g;
const textBreaks = [/\n\s*\n/g, lineBreak, /[.!?。！？…]["'”’)\]]*\s+|[。！？]/g, /\s+/g];

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const containers = new Set(['list', 'listItem', 'blockquote', 'footnoteDefinition', 'table']);

function hasBlocks(node: Nodes): node is Extract<Nodes, { children: unknown[] }> {
  return containers.has(node.type) && 'children' in node;
}
