/** Excel workbooks since 2007 -> Markdown, a section for each sheet. */

import type { Content, Reading } from '../../content.ts';
import { containerKind } from '../../detection/containers/kind.ts';
import { openContainer } from '../../detection/containers/zip.ts';
import type { Limits } from '../../limits.ts';
import { drawingsOf } from '../sheets/drawings.ts';
import { assertFillable } from '../sheets/filled-cells.ts';
import { readWorkbook } from '../sheets/read-sheetjs.ts';
import { noDrawings } from '../sheets/sheet.ts';
import { workbookToMarkdown } from '../sheets/workbook.ts';
import type { BinaryFormat } from './format.ts';

export const xlsx: BinaryFormat = {
  kind: 'binary',
  name: 'xlsx',
  label: 'an Excel workbook',
  mediaTypes: [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
    'application/vnd.ms-excel.sheet.macroenabled.12',
    'application/vnd.ms-excel.template.macroenabled.12',
    'application/vnd.ms-excel.sheet.binary.macroenabled.12',
  ],
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm', 'xlsb'],
  magic: [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
    'application/vnd.ms-excel.sheet.macroenabled.12',
    'application/vnd.ms-excel.template.macroenabled.12',
  ],
  parser: '@e965/xlsx',
  emptyMessage: 'The workbook has no values.',
  matches: ({ bytes }) => containerKind(bytes) === 'xlsx',
  read: readXlsx,
};

async function readXlsx({ bytes }: Content, limits: Limits): Promise<Reading> {
  // Checks the inflated size before anything is inflated.
  const container = await openContainer(bytes, limits);
  await assertFillable(container, limits);
  const drawings = await drawingsOf(container);
  const workbook = await readWorkbook(bytes);
  const sheets = workbook.sheets.map((sheet) => ({ ...sheet, drawings: drawings.get(sheet.name) ?? noDrawings }));
  return workbookToMarkdown({ ...workbook, sheets }, limits);
}
