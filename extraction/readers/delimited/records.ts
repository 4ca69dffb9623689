/** Delimited text (RFC 4180 and common deviations) -> records. */
import { CsvError, type Options } from 'csv-parse';
import { SourceError } from '../../../contract/errors.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import type { Delimiter } from './sniff.ts';

/** Limit of characters of one record; a longer one has an open quote, or the text is no table. */
const MAX_RECORD_LENGTH = 4 * 1024 * 1024;

/** Limit of fields per cell: spreadsheets append empty fields to rows, but not this many. */
const MAX_FIELDS_PER_CELL = 4;

export interface Records {
  /** Without empty records, and without the empty fields at the end of each. */
  rows: string[][];
  /** True where a quote was never closed, so that quotes were read as text. */
  unbalanced: boolean;
}

/** @throws SourceError `extraction_limit` for too many cells (a table's width times its rows) or too long a record */
export async function readRecords(text: string, delimiter: Delimiter, limits: Limits): Promise<Records> {
  const { parse } = await import('csv-parse/sync');
  const attempt = (quote: '"' | false): string[][] => {
    const rows: string[][] = [];
    let width = 0;
    let fields = 0;
    const options: Options<string[]> = {
      delimiter,
      quote,
      relax_quotes: true,
      relax_column_count: true,
      max_record_size: MAX_RECORD_LENGTH,
      on_record: (record: string[]) => {
        fields += record.length;
        if (fields > limits.cells * MAX_FIELDS_PER_CELL) assertWithin(limits, 'cells', fields);
        const row = withoutEmptyEnd(record);
        if (row.length === 0) return null;
        rows.push(row);
        width = Math.max(width, row.length);
        assertWithin(limits, 'cells', width * rows.length);
        return null;
      },
    };
    parse(text, options);
    return rows;
  };
  try {
    return { rows: attempt('"'), unbalanced: false };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  try {
    return { rows: attempt(false), unbalanced: true };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `A row has more than ${MAX_RECORD_LENGTH} characters.`;
    throw new SourceError('extraction_limit', message, { cause: error });
  }
}

function withoutEmptyEnd(record: readonly string[]): string[] {
  const last = record.findLastIndex((field) => field.trim() !== '');
  return record.slice(0, last + 1);
}
