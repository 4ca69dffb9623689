/** A Markdown table as data: typed columns, CSV (RFC 4180) and one record for each row. */
import { toString as textOf } from 'mdast-util-to-string';
import { SourceError } from '../../../../contract/errors.ts';
import { parseMarkdown } from '../../../markdown/parse.ts';
import { calendarDate } from './dates.ts';

export type ColumnType = 'integer' | 'number' | 'boolean' | 'date' | 'text';
export type Cell = string | number | boolean | null;

export interface TypedColumn {
  name: string;
  type: ColumnType;
  /** Rows in which it has no value. */
  nulls: number;
}

/** Characters of the records as JSON: each repeats the names of the columns. */
const maxJsonLength = 1024 * 1024;
/** What people write into a column of numbers or dates where there is none. */
const missing = /^(?:-|–|—|n\/a|null)$/i;

const decimal = /^[+-]?(?:(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?|\.\d{1,15})(?:e[+-]?\d{1,2})?$/i;

/** Reads a cell as a value of the type, or undefined where it is none. */
const readers: readonly (readonly [ColumnType, (text: string) => Cell | undefined])[] = [
  // Leading zeros are codes, and beyond 15 digits a number loses some.
  ['integer', (text) => (/^[+-]?(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined)],
  ['number', (text) => (decimal.test(text) ? Number(text) : undefined)],
  ['boolean', (text) => (/^(?:true|yes)$/i.test(text) ? true : /^(?:false|no)$/i.test(text) ? false : undefined)],
  ['date', (text) => (timeOrDate(text) ? text : undefined)],
];

/** A date of the calendar, alone or with a time (ISO 8601). */
function timeOrDate(text: string): boolean {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?))?$/.exec(text) ?? [];
  if (date === undefined || calendarDate(date) === null) return false;
  return time === undefined || /^(?:[01]\d|2[0-3]):[0-5]\d/.test(time);
}

/** The cells of a column as values, of the narrowest type that all of them have. */
function readColumn(name: string, texts: readonly string[]): { column: TypedColumn; values: Cell[] } {
  const filled = texts.filter((text) => text !== '' && !missing.test(text));
  for (const [type, read] of filled.length === 0 ? [] : readers) {
    if (filled.some((text) => read(text) === undefined)) continue;
    const values = texts.map((text) => (text === '' || missing.test(text) ? null : (read(text) ?? null)));
    return { column: { name, type, nulls: values.filter((value) => value === null).length }, values };
  }
  const values = texts.map((text) => (text === '' ? null : text));
  return { column: { name, type: 'text', nulls: values.filter((value) => value === null).length }, values };
}

/** Names that are all there and differ, since records are read by them. */
function columnNames(header: readonly string[]): string[] {
  const taken = new Set<string>();
  return header.map((text, index) => {
    const base = text === '' ? `column_${index + 1}` : text;
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
    taken.add(name);
    return name;
  });
}

function csvField(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @throws SourceError `unsupported_format` when it is no table, `extraction_limit` when its records are too long */
export function enrichTable(content: string): {
  typedColumns: TypedColumn[];
  csv: string;
  json: Record<string, Cell>[];
} {
  const [header, ...rows] = parseMarkdown(content, { inline: true })
    .filter((block) => block.type === 'table')
    .flatMap((table) => table.children.map((row) => row.children.map((cell) => textOf(cell).trim())));
  if (header === undefined) throw new SourceError('unsupported_format', 'The artifact is not a table.');
  const names = columnNames(header);
  const cells = rows.map((row) => names.map((_, index) => row[index] ?? ''));
  // With quotation marks, colon and comma; the values are as long as the content at most.
  const jsonLength = content.length * 2 + cells.length * names.reduce((sum, name) => sum + name.length + 8, 2);
  if (jsonLength > maxJsonLength) {
    throw new SourceError(
      'extraction_limit',
      `The table makes ${jsonLength} characters of JSON; the most is ${maxJsonLength}.`,
    );
  }
  const columns = names.map((name, index) =>
    readColumn(
      name,
      cells.map((row) => row[index] ?? ''),
    ),
  );
  return {
    typedColumns: columns.map(({ column }) => column),
    csv: [names, ...cells].map((row) => `${row.map(csvField).join(',')}\r\n`).join(''),
    json: cells.map((_, row) =>
      Object.fromEntries(columns.map(({ column, values }) => [column.name, values[row] ?? null])),
    ),
  };
}
