/** OpenDocument spreadsheets -> Markdown, a section for each sheet. */
import { SourceError } from '../../contract/errors.ts';
import { containerKind } from '../container-kind.ts';
import type { Content, Reading } from '../content.ts';
import type { Limits } from '../limits.ts';
import { odsFactsOf } from '../sheets/ods-facts.ts';
import { readWorkbook } from '../sheets/read-sheetjs.ts';
import { workbookToMarkdown } from '../sheets/workbook.ts';
import { openContainer } from '../zip.ts';
import type { BinaryFormat } from './format.ts';

export const ods: BinaryFormat = {
  kind: 'binary',
  name: 'ods',
  label: 'an OpenDocument spreadsheet',
  mediaTypes: [
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
  ],
  extensions: ['ods', 'ots'],
  magic: ['application/vnd.oasis.opendocument.spreadsheet', 'application/vnd.oasis.opendocument.spreadsheet-template'],
  parser: '@e965/xlsx',
  emptiness: 'The workbook holds no values.',
  // The type stands in any place where a program packed the file anew.
  matches: ({ bytes }) => containerKind(bytes) === 'ods',
  read: readOds,
};

async function readOds({ bytes }: Content, limits: Limits): Promise<Reading> {
  const container = await openContainer(bytes, limits);
  // Before the cells are read: what the file repeats is written once and would be read a million times.
  const facts = await odsFactsOf(container, limits);
  if (facts === null) throw new SourceError('file_damaged', 'The workbook has no content.');
  const workbook = await readWorkbook(bytes);
  const sheets = workbook.sheets.map((sheet, at) => ({ ...sheet, ...facts.sheets[at] }));
  return workbookToMarkdown({ ...workbook, ...facts.about, sheets }, limits);
}
