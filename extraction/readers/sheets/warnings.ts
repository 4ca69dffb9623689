/** Warnings for a workbook: hidden and merged cells, formulas without results, charts and images. */
import type { ReadingWarning } from '../../../contract/extraction.ts';
import type { Sheet, Workbook } from './sheet.ts';

/** One warning of each kind, with its count. */
export function warningsOf({ sheets, uncomputed }: Workbook): ReadingWarning[] {
  const sum = (count: (sheet: Sheet) => number) => sheets.reduce((total, sheet) => total + count(sheet), 0);
  const merged = sum(({ merges }) => merges.length);
  const hidden = sheets.filter(({ hidden }) => hidden);
  const rows = sum(({ hiddenRows }) => hiddenRows);
  const columns = sum(({ hiddenColumns }) => hiddenColumns);
  const charts = sum(({ drawings }) => drawings.chartTitles.length);
  const images = sum(({ drawings }) => drawings.imageTexts.filter((text) => text === '').length);
  const names = hidden.map(({ name }) => `"${name}"`).join(', ');
  const counts: [number, string, string][] = [
    [
      merged,
      'merged_cells',
      `${merged} merged ${plural(merged, 'area')}: the first cell has the value, the others are empty.`,
    ],
    [hidden.length, 'hidden_sheets', `Kept: ${hidden.length} hidden ${plural(hidden.length, 'sheet')} (${names}).`],
    [rows, 'hidden_rows', `Kept: ${rows} hidden ${plural(rows, 'row')}.`],
    [columns, 'hidden_columns', `Kept: ${columns} hidden ${plural(columns, 'column')}.`],
    [
      uncomputed,
      'formulas_without_results',
      `${uncomputed} ${plural(uncomputed, 'formula')} without results. Recalculate and save the file to get them.`,
    ],
    [charts, 'charts_left_out', `Left out: ${charts} ${plural(charts, 'chart')}, except for titles.`],
    [images, 'images_without_text', `Left out: ${images} ${plural(images, 'image')} without a description.`],
  ];
  return counts.filter(([count]) => count > 0).map(([, code, message]) => ({ code, message }));
}

function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
