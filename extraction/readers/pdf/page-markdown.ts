/** One page of a PDF as Markdown: what the layout parser makes of it, set right where it is known to err. */
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

/** Runs of text of the densest page that anyone prints, many times over. */
const MAX_ITEMS = 20_000;

/** The Markdown of a page without its running lines; empty where nothing but images is on it. */
export function pageMarkdown(page: ParsedPage, running: readonly Line[] = []): string {
  const all = linesOf(page);
  const lines = all.filter(({ text, box }) => !running.some((line) => line.text === text && line.box.y === box.y));
  const tables = ruledTables(page);
  const blocks = withProseOfListings(inReadingDirection(withoutLines(page.blocks ?? [], running), lines));
  const missed = tables.filter((table) => !blocks.some((block) => isSame(block, table) || reachesOut(block, table)));
  const isRuled = (block: LayoutBlock) => tables.some((table) => isSame(block, table));
  const read = blocks.flatMap((block) => (isRuled(block) ? [block] : withProse([block], lines)));
  // What is looked for word by word would take minutes there.
  if (page.textItems.length > MAX_ITEMS) return tidy(withTables(withWholeParagraphs(read), missed));
  const complete = withLostText(read, [...lines, ...typedLines(page)], page.textItems);
  const whole = withWholeParagraphs(complete, lines);
  return withLinks(withWholeWords(tidy(withTables(whole, missed)), page), page);
}

/** True for a table block that has as many columns, and rows to within a merged one, as the lines around it show. */
function isSame({ kind, header = [], rows = [], bbox }: LayoutBlock, table: RuledTable): boolean {
  if (kind !== 'table' || bbox === undefined || !liesIn(bbox, table.box)) return false;
  const columns = header.length || (rows[0]?.length ?? 0);
  return columns === table.rows[0]?.length && Math.abs(rows.length + 1 - table.rows.length) <= 1;
}

/** True where a table block that would give way to the lines' table has more columns, beside theirs. */
function reachesOut({ kind, header = [], rows = [], bbox }: LayoutBlock, table: RuledTable): boolean {
  if (kind !== 'table' || bbox === undefined || !liesIn(bbox, table.box)) return false;
  const columns = rows.reduce((most, row) => Math.max(most, row.length), header.length);
  const isWider = bbox.x < table.box.x - 10 || bbox.x + bbox.width > table.box.x + table.box.width + 10;
  return isWider && columns > (table.rows[0]?.length ?? 0);
}

/** The page's blocks, with what stands in the tables' places replaced by the tables. */
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
    // A line below a heading, around a field or between columns is no break between topics.
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
      // An empty page comes as an empty code block.
      .replace(/^```\w*\n\s*```$/gm, '')
      .replace(/^\|(?:-{3}\|)+$/gm, (line) => `|${' --- |'.repeat(line.split('|').length - 2)}`)
      // A line is bold as a whole where only its beginning is; what goes on without shows it.
      .replace(/^\*\*(.*\p{Ll}-)\*\*(?=\n\n\p{Ll})/gmu, '$1')
      .replace(/(?<=\p{Ll})-\n\n(?=\p{Ll})/gu, '')
      .replace(/^#{1,6} (1[.)]? .+ 2[.)]? .+)$/gm, (heading, text: string) => numbered(text) ?? heading)
      // Lines of languages that are written without spaces come joined by one.
      .replace(
        /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，]) (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu,
        (space, at: number, whole: string) => (isInProse(whole, at) ? '' : space),
      )
      .trim()
  );
}

/** Sentences that were numbered one by one, as the list that they are; null for anything else. */
function numbered(text: string): string | null {
  const items = text.split(/(?<=[.!?;]) (?=\d{1,2}[.)]? \p{Lu})/u);
  const isList = items.length > 1 && items.every((item, at) => item.startsWith(String(at + 1)));
  return isList ? items.map((item, at) => `${at + 1}. ${item.replace(/^\d+[.)]? /, '')}`).join('\n') : null;
}

/** In a paragraph of more than a line; a short one may mean its spaces. */
function isInProse(text: string, at: number): boolean {
  const begin = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  const line = text.slice(begin, end === -1 ? undefined : end);
  return line.length > 40 && !/^(?:#|\|)/.test(line);
}
