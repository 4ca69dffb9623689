/** Reads Excel workbooks with SheetJS. */
import type { CellObject, ParsingOptions, WorkBook, WorkSheet } from '@e965/xlsx';
import { SourceError } from '../../../contract/errors.ts';
import { reformatted } from './number-format.ts';
import {
  commentText,
  noDrawings,
  type PlacedCell,
  type Sheet,
  type SheetCell,
  type Workbook,
  webAddress,
} from './sheet.ts';

type Sheetjs = typeof import('@e965/xlsx');

/**
 * The sheets of a workbook, without drawings. @throws SourceError `file_encrypted`, `file_damaged`
 */
export async function readWorkbook(bytes: Uint8Array): Promise<Workbook> {
  const sheetjs = await import('@e965/xlsx');
  // Only compound files have text in code pages, whose tables are large.
  if (bytes[0] !== 0x50) sheetjs.set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
  const book = parse(sheetjs, bytes);
  let uncomputed = 0;
  const sheets = book.SheetNames.map((name, at): Sheet => {
    const sheet = book.Sheets[name] ?? {};
    const cells: PlacedCell[] = [];
    for (const [row, cellsOfRow] of present(sheet['!data'] ?? [])) {
      for (const [column, source] of present(cellsOfRow)) {
        const cell = sheetCell(source, sheetjs, isFrom1904(book));
        if (cell === null) continue;
        cells.push({ row, column, cell });
        if (source.t === 'z') uncomputed += 1;
      }
    }
    return {
      name,
      hidden: (book.Workbook?.Sheets?.[at]?.Hidden ?? 0) > 0,
      cells,
      merges: (sheet['!merges'] ?? []).map(({ s, e }) => ({ top: s.r, left: s.c, bottom: e.r, right: e.c })),
      ...hiddenOf(sheet, cells),
      drawings: noDrawings,
    };
  });
  const { Title, Author, ModifiedDate, CreatedDate } = book.Props ?? {};
  return {
    title: textOrNull(Title),
    author: textOrNull(Author),
    changedAt: isoOrNull(ModifiedDate ?? CreatedDate),
    sheets,
    uncomputed,
  };
}

function parse(sheetjs: Sheetjs, bytes: Uint8Array): WorkBook {
  const options: ParsingOptions = { type: 'array', dense: true, cellNF: true, cellStyles: true };
  try {
    return sheetjs.read(bytes, options);
  } catch (error) {
    if (/password|encrypt/i.test(error instanceof Error ? error.message : String(error))) {
      throw new SourceError('file_encrypted', 'The workbook is protected with a password.', { cause: error });
    }
  }
  try {
    // Without formulas: SheetJS fails on some, but their results are readable.
    return sheetjs.read(bytes, { ...options, cellFormula: false });
  } catch (cause) {
    throw new SourceError('file_damaged', 'The workbook is damaged or incomplete and cannot be read.', { cause });
  }
}

/** More than the rows of any sheet. Longer arrays are nearly all holes, which must not be iterated. */
const longArray = 1 << 21;

/** The elements of a sparse array with their indexes, in order. */
function* present<T>(sparse: readonly (T | undefined)[]): Generator<[number, T]> {
  const indexes = sparse.length < longArray ? sparse.keys() : Object.keys(sparse).map(Number);
  for (const index of indexes) {
    const entry = sparse[index];
    if (entry !== undefined) yield [index, entry];
  }
}

function isFrom1904(book: WorkBook): boolean {
  return book.Workbook?.WBProps?.date1904 === true;
}

/** The displayed content of a cell, or null for an empty one. */
function sheetCell(cell: CellObject, sheetjs: Sheetjs, from1904: boolean): SheetCell | null {
  const formulaLink = /^HYPERLINK\("([^"]*)"(?:,"([^"]*)")?\)$/.exec(cell.f ?? '');
  const { kind, text: result } = shown(cell, sheetjs, from1904);
  const text = formulaLink !== null && /^(?:=.*)?$/.test(result) ? (formulaLink[2] ?? formulaLink[1] ?? '') : result;
  const comments = (cell.c ?? []).map(({ a, t }) => commentText(asUtf8(a), t)).filter((comment) => comment !== '');
  if (text.trim() === '' && comments.length === 0) return null;
  return { kind, text, link: webAddress(cell.l?.Target ?? formulaLink?.[1]), comments };
}

/** Decodes authors of XLSX comments, which SheetJS returns as one byte per character; other names are unchanged. */
function asUtf8(name: string | undefined): string | undefined {
  if (name === undefined || !/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(name)) return name;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(name, 'latin1'));
  } catch {
    return name;
  }
}

function shown(cell: CellObject, sheetjs: Sheetjs, from1904: boolean): Pick<SheetCell, 'kind' | 'text'> {
  if (cell.t === 'z') return { kind: 'number', text: cell.f === undefined ? '' : `=${cell.f}` };
  if (cell.t === 'b') return { kind: 'boolean', text: cell.w ?? (cell.v === true ? 'TRUE' : 'FALSE') };
  if (cell.t === 'e') return { kind: 'error', text: cell.w ?? '' };
  if (cell.t === 'n') {
    const date = typeof cell.v === 'number' ? isoDate(cell.v, cell.z, sheetjs, from1904) : null;
    return date === null ? { kind: 'number', text: numberText(cell, sheetjs, from1904) } : { kind: 'date', text: date };
  }
  return { kind: 'text', text: String(cell.v ?? cell.w ?? '').replace(/\r\n?/g, '\n') };
}

function numberText({ v, z, w }: CellObject, sheetjs: Sheetjs, from1904: boolean): string {
  const again =
    typeof v === 'number' && typeof z === 'string' ? reformatted(v, z, w, sheetjs.SSF.format, from1904) : null;
  return again ?? w ?? String(v ?? '');
}

/** Date and time of a serial number, as far as its date format shows them; null for other numbers. */
function isoDate(value: number, format: CellObject['z'], sheetjs: Sheetjs, from1904: boolean): string | null {
  if (typeof format !== 'string' || value < 0 || !sheetjs.SSF.is_date(format)) return null;
  // Durations ("[h]:mm") are not dates.
  if (/\[[hms]+\]/i.test(format)) return null;
  const parsed: { y: number; m: number; d: number; H: number; M: number; S: number } | null =
    sheetjs.SSF.parse_date_code(value, { date1904: from1904 });
  if (parsed === null) return null;
  const two = (number: number) => String(number).padStart(2, '0');
  const bare = format.replace(/"[^"]*"|\\.|\[[^[\]]*\]/g, '');
  const day = `${String(parsed.y).padStart(4, '0')}-${two(parsed.m)}-${two(parsed.d)}`;
  const seconds = /s/i.test(bare) && parsed.S > 0 ? `:${two(parsed.S)}` : '';
  const time = `${two(parsed.H)}:${two(parsed.M)}${seconds}`;
  const hasTime = /h|s/i.test(bare);
  if (!/[dy]/i.test(bare) && hasTime) return time;
  return hasTime && (parsed.H > 0 || parsed.M > 0 || parsed.S > 0) ? `${day} ${time}` : day;
}

function hiddenOf(sheet: WorkSheet, cells: Sheet['cells']): Pick<Sheet, 'hiddenRows' | 'hiddenColumns'> {
  const hidden = (info: { hidden?: boolean }[] | undefined, indexes: number[]) =>
    [...new Set(indexes)].filter((at) => info?.[at]?.hidden === true).length;
  return {
    hiddenRows: hidden(
      sheet['!rows'],
      cells.map(({ row }) => row),
    ),
    hiddenColumns: hidden(
      sheet['!cols'],
      cells.map(({ column }) => column),
    ),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function isoOrNull(value: unknown): string | null {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : null;
}
