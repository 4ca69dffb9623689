/** A spreadsheet of OpenDocument as a workbook. */

import type { Container } from '../../detection/containers/zip.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { cleanAltText } from '../document/alt-text.ts';
import { assertNotEncrypted } from '../opendocument/package.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';
import { withKnownPrefixes } from '../xml/prefixes.ts';
import { odsCell } from './ods-cells.ts';
import type { CellRange, Drawings, PlacedCell, Sheet, Workbook } from './sheet.ts';

/**
 * The workbook, or null where it has no content.
 * @throws SourceError `extraction_limit` for more cells than `cells`, including repetitions; `file_encrypted`; as
 * `parseXml`
 */
export async function readOdsWorkbook(container: Container, limits: Limits): Promise<Workbook | null> {
  await assertNotEncrypted(container);
  const root = await container.xml('content.xml');
  if (root === null) return null;
  const content = withKnownPrefixes(root);
  const meta = childOf((await container.xml('meta.xml').catch(() => null)) ?? undefined, 'office:meta');
  const property = (...names: string[]) =>
    names.map((name) => textOf(childOf(meta, name)).trim()).find(Boolean) ?? null;
  const hiddenStyles = new Set(
    descendantsOf(content, 'style:style')
      .filter((style) => childOf(style, 'style:table-properties')?.attributes['table:display'] === 'false')
      .map((style) => style.attributes['style:name'] ?? ''),
  );
  const counter: Counter = { cells: 0, uncomputed: 0, limits };
  const sheets: Sheet[] = [];
  for (const table of elementsOf(childOf(content, 'office:body', 'office:spreadsheet'), 'table:table')) {
    const grid = gridOf(table, counter);
    sheets.push({
      name: table.attributes['table:name'] ?? '',
      hidden: hiddenStyles.has(table.attributes['table:style-name'] ?? ''),
      ...grid,
      hiddenColumns: hiddenColumns(table, grid.cells),
      drawings: await drawingsIn(table, container),
    });
  }
  return {
    title: property('dc:title'),
    author: property('dc:creator', 'meta:initial-creator'),
    changedAt: property('dc:date', 'meta:creation-date'),
    sheets,
    uncomputed: counter.uncomputed,
  };
}

/** Counts over all sheets. */
interface Counter {
  cells: number;
  uncomputed: number;
  limits: Limits;
}

const rowGroups = new Set(['table:table-row-group', 'table:table-header-rows', 'table:table-rows']);
const columnGroups = new Set(['table:table-column-group', 'table:table-header-columns', 'table:table-columns']);

/** The cells of a table that are not empty, with repetitions. */
function gridOf(table: XmlElement, counter: Counter): Pick<Sheet, 'cells' | 'merges' | 'hiddenRows'> {
  const cells: PlacedCell[] = [];
  const merges: CellRange[] = [];
  let hiddenRows = 0;
  let row = 0;
  for (const element of inGroups(table, 'table:table-row', rowGroups)) {
    const times = repeats(element, 'table:number-rows-repeated');
    const inRow = readRow(element, counter);
    counter.cells += inRow.cells.length * times;
    assertWithin(counter.limits, 'cells', counter.cells);
    if (inRow.cells.length > 0) {
      if (isHidden(element)) hiddenRows += times;
      for (let at = row; at < row + times; at += 1) {
        for (const { column, cell } of inRow.cells) cells.push({ row: at, column, cell });
      }
    }
    for (const { left, columns, rows } of inRow.merged) {
      merges.push({ top: row, left, bottom: row + rows - 1, right: left + columns - 1 });
    }
    row += times;
  }
  return { cells, merges, hiddenRows };
}

interface OdsRow {
  cells: Pick<PlacedCell, 'column' | 'cell'>[];
  merged: { left: number; columns: number; rows: number }[];
}

function readRow(row: XmlElement, counter: Counter): OdsRow {
  const read: OdsRow = { cells: [], merged: [] };
  let column = 0;
  for (const element of elementsOf(row)) {
    if (element.name !== 'table:table-cell' && element.name !== 'table:covered-table-cell') continue;
    const times = repeats(element, 'table:number-columns-repeated');
    const found = element.name === 'table:table-cell' ? odsCell(element) : null;
    if (found !== null) {
      assertWithin(counter.limits, 'cells', counter.cells + read.cells.length + times);
      if (found.uncomputed) counter.uncomputed += times;
      for (let at = column; at < column + times; at += 1) read.cells.push({ column: at, cell: found.cell });
    }
    const columns = repeats(element, 'table:number-columns-spanned');
    const rows = repeats(element, 'table:number-rows-spanned');
    if (columns > 1 || rows > 1) read.merged.push({ left: column, columns, rows });
    column += times;
  }
  return read;
}

/** Number of hidden columns that are not empty. */
function hiddenColumns(table: XmlElement, cells: readonly PlacedCell[]): number {
  const filled = new Set(cells.map(({ column }) => column));
  let column = 0;
  let hidden = 0;
  for (const definition of inGroups(table, 'table:table-column', columnGroups)) {
    const end = column + repeats(definition, 'table:number-columns-repeated');
    if (isHidden(definition)) hidden += [...filled].filter((at) => at >= column && at < end).length;
    column = end;
  }
  return hidden;
}

/** Children of this name, including those in groups, in order. */
function* inGroups(parent: XmlElement, name: string, groups: ReadonlySet<string>): Generator<XmlElement> {
  for (const child of elementsOf(parent)) {
    if (child.name === name) yield child;
    else if (groups.has(child.name)) yield* inGroups(child, name, groups);
  }
}

function repeats(element: XmlElement, attribute: string): number {
  const count = Number(element.attributes[attribute] ?? '1');
  return Number.isInteger(count) && count > 0 ? count : 1;
}

function isHidden({ attributes }: XmlElement): boolean {
  const visibility = attributes['table:visibility'];
  return visibility === 'collapse' || visibility === 'filter';
}

async function drawingsIn(table: XmlElement, container: Container): Promise<Drawings> {
  const chartTitles: string[] = [];
  const texts: string[] = [];
  const imageTexts: string[] = [];
  for (const frame of descendantsOf(table, 'draw:frame')) {
    const object = childOf(frame, 'draw:object')?.attributes['xlink:href'];
    const box = childOf(frame, 'draw:text-box');
    if (object !== undefined) {
      const chart = await container.xml(`${object.replace(/^\.\//, '')}/content.xml`);
      const title = childOf(chart ?? undefined, 'office:body', 'office:chart', 'chart:chart', 'chart:title');
      chartTitles.push(paragraphs(title).join(' '));
    } else if (box !== undefined) texts.push(paragraphs(box).join('\n\n'));
    else if (childOf(frame, 'draw:image') !== undefined) {
      imageTexts.push(
        cleanAltText(textOf(childOf(frame, 'svg:desc'))) || cleanAltText(textOf(childOf(frame, 'svg:title'))),
      );
    }
  }
  return { chartTitles, texts: texts.filter((text) => text !== ''), imageTexts };
}

function paragraphs(root: XmlElement | undefined): string[] {
  return descendantsOf(root, 'text:p')
    .map((paragraph) => textOf(paragraph).trim())
    .filter((text) => text !== '');
}
