/** Excel workbooks before 2007 -> Markdown, a section for each sheet. */
import { compoundNames } from '../cfb.ts';
import type { Content } from '../content.ts';
import { readWorkbook } from '../sheets/read-sheetjs.ts';
import { workbookToMarkdown } from '../sheets/workbook.ts';
import type { BinaryFormat } from './format.ts';

export const xls: BinaryFormat = {
  kind: 'binary',
  name: 'xls',
  label: 'an old Excel workbook',
  mediaTypes: ['application/vnd.ms-excel', 'application/msexcel', 'application/x-msexcel', 'application/x-excel'],
  extensions: ['xls', 'xlt'],
  // What file-type knows of it is the container that it shares with old Word files and Outlook mails.
  magic: [],
  parser: '@e965/xlsx',
  emptiness: 'The workbook holds no values.',
  matches: isXls,
  read: async ({ bytes }, limits) => workbookToMarkdown(await readWorkbook(bytes), limits),
};

/** A compound file with a workbook, or the bare records (BOF of BIFF 2 to 4) of Excel before 5.0. */
function isXls({ bytes }: Content): boolean {
  if (bytes[0] === 9 && [0, 2, 4].includes(bytes[1] ?? -1) && [4, 6].includes(bytes[2] ?? 0) && bytes[3] === 0)
    return true;
  const names = compoundNames(bytes);
  return names.has('Workbook') || names.has('Book') || names.has('WORKBOOK');
}
