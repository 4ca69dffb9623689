/** Delimited text -> one table, below the lines of text that precede it. */
import type { ReadingWarning } from '../../../contract/extraction.ts';
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { escapeInline, escapeText, tableOf } from '../../markdown/write.ts';
import { readRecords } from './records.ts';
import { type Delimiter, delimiters, sniffDelimiter } from './sniff.ts';

/** Reads the text with the delimiter that is detected in it, else with `usual`. @throws SourceError as `readRecords` */
export async function delimitedToMarkdown(text: string, usual: Delimiter, limits: Limits): Promise<Reading> {
  // "sep=;" in the first line declares the delimiter for Excel.
  const declaration = /^sep=(.)\n/i.exec(text);
  const named = delimiters.find((delimiter) => delimiter === declaration?.[1]);
  const body = named === undefined ? text : text.slice(declaration?.[0].length ?? 0);
  const delimiter = named ?? sniffDelimiter(body)?.delimiter ?? usual;
  const { rows, unbalanced } = await readRecords(body, delimiter, limits);
  const { above, table } = divide(rows);
  const [first = [], ...rest] = table;
  const hasHeader = isHeader(first, rest);
  const warnings: ReadingWarning[] = [];
  if (unbalanced) {
    warnings.push({
      code: 'quotes_unbalanced',
      message: 'A quotation mark is never closed, so quotation marks were read as text.',
    });
  }
  const ragged = hasHeader ? rest.filter((row) => row.length > first.length).length : 0;
  if (ragged > 0) {
    warnings.push({
      code: 'ragged_rows',
      message: `${ragged} rows have more cells than the header (${first.length}); these cells have no heading.`,
    });
  }
  const lines = above.map((row) => escapeText(row.join(' ').trim())).join('\n\n');
  const grid =
    table.length === 0 ? '' : hasHeader ? tableOf(cells(first), rest.map(cells)) : tableOf([], table.map(cells));
  const markdown = [lines, grid].filter((part) => part !== '').join('\n\n');
  return { markdown, title: null, languageHint: null, warnings };
}

function cells(row: readonly string[]): string[] {
  return row.map((cell) => escapeInline(cell.trim()));
}

/** Separates the first lines of a report, which have a single cell (title, period, author), from its table. */
function divide(rows: string[][]): { above: string[][]; table: string[][] } {
  const widest = rows.reduce((max, row) => Math.max(max, row.length), 0);
  if (widest < 3) return { above: [], table: rows };
  const begin = rows.findIndex((row) => filled(row) > Math.max(1, widest / 3));
  return begin <= 0 || begin > 12
    ? { above: [], table: rows }
    : { above: rows.slice(0, begin), table: rows.slice(begin) };
}

function filled(row: readonly string[]): number {
  return row.filter((cell) => cell.trim() !== '').length;
}

const number = /^[-+(]?[€$£¥]?\s?\d[\d.,'\s]*(?:%|e[-+]?\d+)?\)?\s?[€$£¥%]?$/i;
const valued = [
  number,
  /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/,
  /^[^\s@]+@[^\s@]+\.[^\s@.]+$/,
  /^https?:\/\//i,
  /^(?:true|false)$/i,
];

/** True for a first row of column names: none of its cells is a value of the same kind as the cells below it. */
function isHeader(first: readonly string[], rest: readonly (readonly string[])[]): boolean {
  if (first.length === 0 || rest.length === 0) return first.length > 0;
  const sample = rest.slice(0, 50);
  return !first.some((cell, column) => {
    const kind = valued.find((pattern) => pattern.test(cell.trim()));
    if (kind === undefined) return false;
    // Years can be headings of columns of numbers.
    if (
      /^(?:19|20)\d\d$/.test(cell.trim()) &&
      !sample.every((row) => /^(?:19|20)\d\d$/.test((row[column] ?? '').trim()))
    )
      return false;
    const below = sample.filter((row) => (row[column] ?? '').trim() !== '');
    return below.length > 0 && below.filter((row) => kind.test((row[column] ?? '').trim())).length * 2 > below.length;
  });
}
