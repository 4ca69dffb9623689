/** OpenDocument spreadsheets -> Markdown, a section for each sheet. */
import { SourceError } from '../../../contract/errors.ts';
import type { Content, Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { openDocumentKind, openFlatOrPacked } from '../opendocument/package.ts';
import { readOdsWorkbook } from '../sheets/ods.ts';
import { workbookToMarkdown } from '../sheets/workbook.ts';
import type { BinaryFormat } from './format.ts';

export const ods: BinaryFormat = {
  kind: 'binary',
  name: 'ods',
  label: 'an OpenDocument spreadsheet',
  mediaTypes: [
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
  ],
  extensions: ['ods', 'ots', 'fods'],
  magic: ['application/vnd.oasis.opendocument.spreadsheet', 'application/vnd.oasis.opendocument.spreadsheet-template'],
  parser: null,
  emptiness: 'The workbook holds no values.',
  // The type stands in any place where a program packed the file anew.
  matches: ({ bytes }) => openDocumentKind(bytes) === 'ods',
  read: readOds,
};

async function readOds({ bytes }: Content, limits: Limits): Promise<Reading> {
  const workbook = await readOdsWorkbook(await openFlatOrPacked(bytes, limits), limits);
  if (workbook === null) throw new SourceError('file_damaged', 'The workbook has no content.');
  return workbookToMarkdown(workbook, limits);
}
