/** What a reader of a workbook's Markdown has to know: what is hidden, merged, not computed, or not in it. */
import type { ReadingWarning } from '../../../contract/extraction.ts';
import type { Sheet, Workbook } from './sheet.ts';

/** One warning of a kind, with its count. */
export function warningsOf({ sheets, uncomputed }: Workbook): ReadingWarning[] {
  const sum = (count: (sheet: Sheet) => number) => sheets.reduce((total, sheet) => total + count(sheet), 0);
  const merged = sum(({ merges }) => merges.length);
  const hidden = sheets.filter(({ hidden }) => hidden);
  const rows = sum(({ hiddenRows }) => hiddenRows);
  const columns = sum(({ hiddenColumns }) => hiddenColumns);
  const charts = sum(({ drawings }) => drawings.chartTitles.length);
  const images = sum(({ drawings }) => drawings.imageTexts.filter((text) => text === '').length);
  const names = hidden.map(({ name }) => `"${name}"`).join(', ');
  const told: [number, string, string][] = [
    [
      merged,
      'merged_cells',
      `${merged} merged ${ofThem(merged, 'area')}: the first cell has the value, the others are empty.`,
    ],
    [hidden.length, 'hidden_sheets', `${hidden.length} hidden ${ofThem(hidden.length, 'sheet')} kept: ${names}.`],
    [rows, 'hidden_rows', `${rows} hidden ${ofThem(rows, 'row')} kept.`],
    [columns, 'hidden_columns', `${columns} hidden ${ofThem(columns, 'column')} kept.`],
    [
      uncomputed,
      'formulas_without_results',
      `${uncomputed} ${ofThem(uncomputed, 'formula')} shown as written: the file holds no results of them.`,
    ],
    [charts, 'charts_left_out', `${charts} ${ofThem(charts, 'chart')}: only titles are kept.`],
    [images, 'images_without_text', `${images} ${ofThem(images, 'image')} without a description left out.`],
  ];
  return told.filter(([count]) => count > 0).map(([, code, message]) => ({ code, message }));
}

function ofThem(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
