/** Blocks of a document -> Markdown, with the offsets of its pages. */
import { fenced } from '../../markdown/write.ts';
import type { Block, Inline, ItemLabel, Note } from './blocks.ts';
import { oneLine, writeInline } from './inline.ts';
import { leadingMarks, placePages, splitMarks, withoutControls } from './page-marks.ts';
import { writeTable } from './table.ts';

/** The Markdown of a document with its notes at the end. `starts` is null for a document without page marks. */
export function writeDocument(
  blocks: readonly Block[],
  notes: readonly Note[] = [],
): { markdown: string; starts: number[] | null } {
  const definitions = notes.map(({ label, blocks: body }) => {
    const text = splitMarks(writeBlocks(body)).rest;
    return `[^${label}]: ${indented(text, 4)}`;
  });
  return placePages([writeBlocks(blocks), ...definitions].filter((part) => part !== '').join('\n\n'));
}

interface OpenItem {
  level: number;
  /** Column where the item's text starts. */
  column: number;
}

/** Markdown of the blocks, with page marks. */
export function writeBlocks(blocks: readonly Block[]): string {
  const open: OpenItem[] = [];
  let markdown = '';
  let pending = '';
  let previous: Block | undefined;
  for (const block of joinCode(blocks)) {
    const column = columnOf(block, open);
    const written = writeBlock(block);
    const { marks, rest } = leadingMarks(written);
    pending += marks;
    if (rest.trim() === '') continue;
    const text = ' '.repeat(column) + indented(block.kind === 'item' ? withLabel(block.label, rest) : rest, column);
    markdown += (markdown === '' ? '' : separator(previous, block)) + pending + text;
    pending = '';
    if (block.kind === 'item') open.push({ level: block.level, column: column + labelText(block.label).length });
    previous = block;
  }
  return markdown + pending;
}

/** The column of a block: that of its item's text, or 0, which ends all lists. */
function columnOf(block: Block, open: OpenItem[]): number {
  const isWithin = (block.kind === 'paragraph' || block.kind === 'code') && block.within !== undefined;
  const level = block.kind === 'item' ? block.level - 1 : isWithin ? (block.within ?? 0) : -1;
  while ((open.at(-1)?.level ?? -1) > level) open.pop();
  return open.at(-1)?.column ?? 0;
}

function separator(previous: Block | undefined, block: Block): string {
  if (previous?.kind !== 'item' || block.kind !== 'item') return '\n\n';
  // Only a list that starts with 1 may follow a line of text without a blank line.
  const isInner = block.level > previous.level;
  return isInner && block.label.kind === 'number' && block.label.number !== 1 ? '\n\n' : '\n';
}

function withLabel(label: ItemLabel, text: string): string {
  const literal = label.kind === 'literal' ? `${label.text} ` : '';
  const begin = labelText(label);
  return begin + indented(literal + text, begin.length);
}

function labelText(label: ItemLabel): string {
  return label.kind === 'number' ? `${label.number}${label.delimiter} ` : '- ';
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'heading': {
      const { marks, rest } = splitMarks(oneLineOf(writeInline(block.content, ['bold'])));
      return rest.trim() === '' ? marks : `${marks}${'#'.repeat(Math.min(6, Math.max(1, block.level)))} ${rest.trim()}`;
    }
    case 'paragraph':
    case 'item':
      return writeParagraph(block.content);
    case 'code':
      return fenced(withoutControls(block.text), block.language);
    case 'quote': {
      const { marks, rest } = leadingMarks(writeBlocks(block.blocks));
      return rest.trim() === '' ? marks : marks + rest.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>');
    }
    case 'table':
      return writeTable(block.rows, writeBlocks);
    case 'rule':
      return '---';
  }
}

/** A heading's text on one line, without a closing sequence of "#". */
function oneLineOf(markdown: string): string {
  return markdown
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(^|\s)(#+)$/, '$1\\$2');
}

/** A paragraph: lines end with two spaces, and starts that would mean a list, heading or rule are escaped. */
export function writeParagraph(content: readonly Inline[]): string {
  const lines = writeInline(content)
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .map(escapeBeginning);
  while (lines.at(-1) === '') lines.pop();
  while (lines[0] === '') lines.shift();
  return lines
    .filter((line, at) => line !== '' || lines[at - 1] !== '')
    .join('  \n')
    .replace(/^ +\n/gm, '\n');
}

function escapeBeginning(line: string): string {
  const { marks, rest } = leadingMarks(line);
  return (
    marks +
    rest
      .replace(/^(#{1,6}|[-+*>])(?=\s|$)/, '\\$1')
      .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
      .replace(/^(?=-{2,}\s*$|=+\s*$|~{3,}|\[[^\]]+\]:|\|)/, '\\')
      .replace(/^>/, '\\>')
  );
}

function indented(text: string, columns: number): string {
  return columns === 0 ? text : text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(columns)}`);
}

/** Joins successive paragraphs of code into one block. */
function joinCode(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (
      block.kind === 'code' &&
      last?.kind === 'code' &&
      last.language === block.language &&
      last.within === block.within
    ) {
      joined[joined.length - 1] = { ...last, text: `${last.text}\n${block.text}` };
    } else joined.push(block);
  }
  return joined
    .map((block) =>
      block.kind === 'code' ? { ...block, text: block.text.replace(/^(?:[ \t]*\n)+/, '').trimEnd() } : block,
    )
    .filter((block) => block.kind !== 'code' || oneLine(block.text) !== '');
}
