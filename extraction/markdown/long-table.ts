/** The rows of a long table: a line each, which need not be parsed to tell them apart. */
import type { PhrasingContent, Table, TableCell, TableRow } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { move, nodesOf } from './nodes.ts';

/** Code units of one piece of a table. */
const pieceLength = 48 * 1024;
const rowLine = /\|[^\n]*(?:\n|$)/y;
/** What a cell needs to have a link or an image in it. */
const linked = /\]\(|<|:\/\/|www\.|@/;
const extensions = [gfm()];
const mdastExtensions = [gfmFromMarkdown()];

/** The rows that stand at `start`, each with a pipe before it, as what continues a table; null where there is none. */
export function moreRows(text: string, start: number, inline: boolean): { block: Table; end: number } | null {
  const rows: TableRow[] = [];
  let end = start;
  for (rowLine.lastIndex = start; end < text.length && end - start < pieceLength; ) {
    const line = rowLine.exec(text)?.[0];
    if (line === undefined) break;
    rows.push(rowOf(line.trimEnd(), end - start, rows.length + 1, inline));
    end += line.length;
  }
  const [first, last] = [rows[0]?.position, rows.at(-1)?.position];
  if (first === undefined || last === undefined) return null;
  const position = { start: { ...first.start }, end: { ...last.end } };
  return { block: { type: 'table', children: rows, data: { continued: true }, position }, end };
}

function rowOf(line: string, offset: number, number: number, inline: boolean): TableRow {
  const position = (from: number, to: number) => ({
    start: { line: number, column: from + 1, offset: offset + from },
    end: { line: number, column: to + 1, offset: offset + to },
  });
  const cells: TableCell[] = [];
  for (let at = 1; at < line.length; ) {
    const end = cellEnd(line, at);
    const cell = line.slice(at, end);
    const from = at + cell.length - cell.trimStart().length;
    const content = contentOf(cell.trim(), position(from, from + cell.trim().length), inline);
    cells.push({ type: 'tableCell', children: content, position: position(at, end) });
    at = end + 1;
  }
  return { type: 'tableRow', children: cells, position: position(0, line.length) };
}

/** Where the next pipe is that no backslash stands before, else the line's end. */
function cellEnd(line: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '|') return at;
    if (character === '\\') at += 1;
  }
  return line.length;
}

function contentOf(cell: string, position: NonNullable<TableCell['position']>, inline: boolean): PhrasingContent[] {
  if (!inline) return [{ type: 'text', value: cell, position }];
  if (!linked.test(cell)) return [{ type: 'text', value: cell.replace(/\\(?=[!-/:-@[-`{-~])/g, ''), position }];
  const [block] = fromMarkdown(cell, { extensions, mdastExtensions }).children;
  if (block?.type !== 'paragraph') return [{ type: 'text', value: cell, position }];
  for (const node of block.children.flatMap((child) => [...nodesOf(child)])) {
    move(node, position.start.offset ?? 0, position.start.line - 1);
  }
  return block.children;
}
