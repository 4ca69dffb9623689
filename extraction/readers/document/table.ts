/** Tables of documents -> GFM: cells of one line, empty cells for spans. */
import { tableOf } from '../../markdown/write.ts';
import type { Block, Cell, Mark } from './blocks.ts';
import { writeInline } from './inline.ts';
import { splitMarks } from './page-marks.ts';

/** Writes blocks outside tables. */
type WriteBlocks = (blocks: readonly Block[]) => string;

/** Markdown of a table, or of its content where the table is only used for layout. */
export function writeTable(rows: readonly Cell[][], writeBlocks: WriteBlocks): string {
  if (isLayout(rows)) {
    return rows
      .flat()
      .map((cell) => writeBlocks(cell.blocks))
      .filter((text) => text.trim() !== '')
      .join('\n\n')
      .trim();
  }
  const kept = rows.filter((row) => row.length > 0);
  const written = kept.map((row, at) => {
    const texts = row.flatMap((cell) => {
      const text = cell.continues ? '' : writeCell(cell.blocks, at === 0, writeBlocks);
      return [text, ...Array.from({ length: cell.columns - 1 }, () => '')];
    });
    const split = texts.map(splitMarks);
    // Each cell of a row that spans two pages has the page mark.
    const marks = split.reduce((longest, cell) => (cell.marks.length > longest.length ? cell.marks : longest), '');
    return { marks, cells: split.map((cell) => cell.rest) };
  });
  const [header, ...body] = written.map(({ cells }) => cells);
  if (header === undefined) return '';
  if (written.every(({ cells }) => cells.every((cell) => cell === '')))
    return written.map(({ marks }) => marks).join('');
  const lines = tableOf(header, body).split('\n');
  return lines
    .map((line, at) => (at === 1 ? line : `${written[at === 0 ? 0 : at - 1]?.marks ?? ''}${line}`))
    .join('\n');
}

/**
 * True for a table used for layout: a box around text, a column of blocks, or blocks beside each other (letterhead).
 */
function isLayout(rows: readonly Cell[][]): boolean {
  if (rows.length === 1) {
    const cells = rows[0] ?? [];
    return cells.length === 1 || cells.some(({ blocks }) => blocks.length > 1 || blocks.some(hasLines));
  }
  return rows.every((row) => row.length <= 1) && rows.some(hasTable);
}

function hasLines(block: Block): boolean {
  return block.kind === 'paragraph' && block.content.some(({ kind }) => kind === 'break');
}

function hasTable(row: readonly Cell[]): boolean {
  return row.some((cell) => cell.blocks.some(({ kind }) => kind === 'table'));
}

function writeCell(blocks: readonly Block[], isHeader: boolean, writeBlocks: WriteBlocks): string {
  return blocks
    .map((block) => {
      switch (block.kind) {
        case 'table':
          return flatTable(block.rows, writeBlocks);
        case 'code':
          return block.text.split('\n').map(codeLine).join('\n');
        case 'quote':
          return writeCell(block.blocks, isHeader, writeBlocks);
        case 'paragraph':
        case 'heading':
          return writeInline(block.content, isHeader ? ['bold'] : []).trim();
        default:
          return writeBlocks([block]).trim();
      }
    })
    .filter((text) => text !== '')
    .join('\n');
}

function codeLine(text: string): string {
  return writeInline([{ kind: 'text', text, marks: new Set<Mark>(['code']), href: null }]);
}

/** A table within a cell: a line for each row, its cells separated by " / ". */
function flatTable(rows: readonly Cell[][], writeBlocks: WriteBlocks): string {
  return rows
    .map((row) =>
      row
        .map((cell) => writeCell(cell.blocks, false, writeBlocks).replace(/(?<!\s)\s*\n\s*/g, ', '))
        .filter((text) => text !== '')
        .join(' / '),
    )
    .filter((line) => line !== '')
    .join('\n');
}
