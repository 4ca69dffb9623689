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
  emptyMessage: 'The workbook has no values.',
  // Repacked files have `mimetype` in any place, where file-type may not find it.
  matches: ({ bytes }) => openDocumentKind(bytes) === 'ods',
  read: readOds,
};

async function readOds({ bytes }: Content, limits: Limits): Promise<Reading> {
  const workbook = await readOdsWorkbook(await openFlatOrPacked(bytes, limits), limits);
  if (workbook === null) throw new SourceError('file_damaged', 'The workbook has no content.');
  return workbookToMarkdown(workbook, limits);
}
