/** One page of a PDF as Markdown: the layout parser's result with corrections of its known errors. */
import type { LayoutBlock, LayoutCell, ParsedPage } from '@llamaindex/liteparse';
import { escapeInline, fenced, tableOf } from '../../markdown/write.ts';
import { typedLines } from './annotations.ts';
import { withWholeWords } from './ligatures.ts';
import { type Line, liesIn, linesOf } from './lines.ts';
import { withLinks } from './links.ts';
import { withLostText } from './lost-text.ts';
import { partedByNumbers, withWholeParagraphs } from './paragraphs.ts';
import { withProseOfListings } from './prose-in-listings.ts';
import { withProse } from './prose-in-tables.ts';
import { inReadingDirection } from './right-to-left.ts';
import { type RuledTable, ruledTables } from './ruled-tables.ts';
import { withoutLines } from './running-lines.ts';

/** Limit of text runs for word-by-word corrections; far more than printed pages have. */
const MAX_ITEMS = 20_000;

/** The Markdown of a page without its running lines; empty for a page without text. */
export function pageMarkdown(page: ParsedPage, running: readonly Line[] = []): string {
  const all = linesOf(page);
  const lines = all.filter(({ text, box }) => !running.some((line) => line.text === text && line.box.y === box.y));
  const tables = ruledTables(page);
  const blocks = withProseOfListings(inReadingDirection(withoutLines(page.blocks ?? [], running), lines));
  const missed = tables.filter((table) => !blocks.some((block) => isSame(block, table) || reachesOut(block, table)));
  const isRuled = (block: LayoutBlock) => tables.some((table) => isSame(block, table));
  const read = blocks.flatMap((block) => (isRuled(block) ? [block] : withProse([block], lines)));
  // Word-by-word corrections would take minutes.
  if (page.textItems.length > MAX_ITEMS) return tidy(withTables(withWholeParagraphs(read), missed));
  const complete = withLostText(read, [...lines, ...typedLines(page)], page.textItems);
  const whole = withWholeParagraphs(complete, lines);
  return withLinks(withWholeWords(tidy(withTables(whole, missed)), page), page);
}

/** True for a table block with the columns and, except for one merged row, the rows of the ruled table. */
function isSame({ kind, header = [], rows = [], bbox }: LayoutBlock, table: RuledTable): boolean {
  if (kind !== 'table' || bbox === undefined || !liesIn(bbox, table.box)) return false;
  const columns = header.length || (rows[0]?.length ?? 0);
  return columns === table.rows[0]?.length && Math.abs(rows.length + 1 - table.rows.length) <= 1;
}

/** True where a table block that the ruled table would replace has further columns beside it. */
function reachesOut({ kind, header = [], rows = [], bbox }: LayoutBlock, table: RuledTable): boolean {
  if (kind !== 'table' || bbox === undefined || !liesIn(bbox, table.box)) return false;
  const columns = rows.reduce((max, row) => Math.max(max, row.length), header.length);
  const isWider = bbox.x < table.box.x - 10 || bbox.x + bbox.width > table.box.x + table.box.width + 10;
  return isWider && columns > (table.rows[0]?.length ?? 0);
}

/** Markdown of the blocks, with the tables in place of the blocks that they cover. */
function withTables(blocks: readonly LayoutBlock[], tables: readonly RuledTable[]): string {
  const pieces: string[] = [];
  const written = new Set<RuledTable>();
  const write = (table: RuledTable) => {
    if (written.has(table)) return;
    written.add(table);
    const [header = [], ...rows] = table.rows.map((row) => row.map(escapeInline));
    pieces.push(`\n${tableOf(header, rows)}\n`);
  };
  for (const block of blocks) {
    const { bbox } = block;
    const table = bbox && tables.find(({ box }) => liesIn(bbox, box));
    if (table !== undefined) write(table);
    else pieces.push(blockMarkdown(block));
  }
  for (const table of tables) write(table);
  return pieces.join('\n').replace(/\n{3,}/g, '\n\n');
}

function blockMarkdown({ kind, text = '', level = 1, ordered, marker = '', ...block }: LayoutBlock): string {
  switch (kind) {
    case 'heading':
      return `\n${'#'.repeat(Math.min(6, Math.max(1, level)))} ${text}\n`;
    case 'list_item':
      return `${'  '.repeat(level)}${ordered ? marker.replace(/^\W*(\d+)(\)?)\W*$/, '$1$2').replace(/\d$/, '$&.') : '-'} ${text}`;
    case 'code':
    case 'grid_fallback':
      return `\n${fenced((block.lines ?? []).join('\n'), block.lang ?? '')}\n`;
    case 'table': {
      const cells = (row: LayoutCell[]) => row.map((cell) => escapeInline(cell.text));
      const [header = [], ...rows] = [...(block.header ? [block.header] : []), ...(block.rows ?? [])].map(cells);
      return `\n${tableOf(header, rows)}\n`;
    }
    // Lines below headings, around fields or between columns are not thematic breaks.
    case 'rule':
    case 'figure':
      return '';
    case 'paragraph':
      return `\n${emphasised(partedByNumbers(text), block)}\n`;
  }
}

function emphasised(text: string, { bold, italic }: Pick<LayoutBlock, 'bold' | 'italic'>): string {
  const mark = `${bold ? '**' : ''}${italic ? '*' : ''}`;
  return text === '' || mark === '' || text.includes('\n') ? text : `${mark}${text}${mark}`;
}
function tidy(markdown: string): string {
  return (
    markdown
      .replace(/\r\n?/g, '\n')
      .replaceAll('\0', '')
      .toWellFormed()
      // The parser returns an empty code block for an empty page.
      .replace(/^```\w*\n\s*```$/gm, '')
      .replace(/^\|(?:-{3}\|)+$/gm, (line) => `|${' --- |'.repeat(line.split('|').length - 2)}`)
      // The parser marks a whole line as bold where only its start is; the next line, which continues it, is not bold.
      .replace(/^\*\*(.*\p{Ll}-)\*\*(?=\n\n\p{Ll})/gmu, '$1')
      .replace(/(?<=\p{Ll})-\n\n(?=\p{Ll})/gu, '')
      .replace(/^#{1,6} (1[.)]? .+ 2[.)]? .+)$/gm, (heading, text: string) => numbered(text) ?? heading)
      // The parser joins lines by a space, also in languages that are written without spaces.
      .replace(
        /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，]) (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu,
        (space, at: number, whole: string) => (isInProse(whole, at) ? '' : space),
      )
      .trim()
  );
}

/** A list of sentences that are numbered one by one; null for other text. */
function numbered(text: string): string | null {
  const items = text.split(/(?<=[.!?;]) (?=\d{1,2}[.)]? \p{Lu})/u);
  const isList = items.length > 1 && items.every((item, at) => item.startsWith(String(at + 1)));
  return isList ? items.map((item, at) => `${at + 1}. ${item.replace(/^\d+[.)]? /, '')}`).join('\n') : null;
}

/** True within a paragraph of more than one line; in a short one, spaces may be intended. */
function isInProse(text: string, at: number): boolean {
  const begin = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  const line = text.slice(begin, end === -1 ? undefined : end);
  return line.length > 40 && !/^(?:#|\|)/.test(line);
}
