/** Excel workbooks before 2007 -> Markdown, a section for each sheet. */
import { SourceError } from '../../../contract/errors.ts';
import type { Content, Reading } from '../../content.ts';
import { compoundNames, hasWholeStream } from '../../detection/containers/cfb.ts';
import type { Limits } from '../../limits.ts';
import { readWorkbook } from '../sheets/read-sheetjs.ts';
import { workbookToMarkdown } from '../sheets/workbook.ts';
import type { BinaryFormat } from './format.ts';

export const xls: BinaryFormat = {
  kind: 'binary',
  name: 'xls',
  label: 'an old Excel workbook',
  mediaTypes: ['application/vnd.ms-excel', 'application/msexcel', 'application/x-msexcel', 'application/x-excel'],
  extensions: ['xls', 'xlt'],
  // file-type only detects the container, which old Word files and Outlook mails have too.
  magic: [],
  parser: '@e965/xlsx',
  emptyMessage: 'The workbook has no values.',
  matches: isXls,
  read: readXls,
};

async function readXls({ bytes }: Content, limits: Limits): Promise<Reading> {
  const stream = workbookStreams.find((name) => compoundNames(bytes).has(name));
  // The parser would read a truncated file without an error.
  if (stream !== undefined && !hasWholeStream(bytes, stream)) {
    throw new SourceError('file_damaged', 'The workbook is incomplete: the file ends before its last sheet.');
  }
  return workbookToMarkdown(await readWorkbook(bytes), limits);
}

const workbookStreams = ['Workbook', 'Book', 'WORKBOOK'];

/** A compound file with a workbook, or the bare records (BOF of BIFF 2 to 4) of Excel before 5.0. */
function isXls({ bytes }: Content): boolean {
  if (bytes[0] === 9 && [0, 2, 4].includes(bytes[1] ?? -1) && [4, 6].includes(bytes[2] ?? 0) && bytes[3] === 0)
    return true;
  const names = compoundNames(bytes);
  return workbookStreams.some((name) => names.has(name));
}
