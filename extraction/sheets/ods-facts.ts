/** What SheetJS does not say of an OpenDocument spreadsheet, read from the same XML. */
import { SourceError } from '../../contract/errors.ts';
import { assertWithin, type Limits } from '../limits.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../xml.ts';
import type { Container } from '../zip.ts';
import type { Drawings, Sheet, Workbook } from './sheet.ts';

export interface OdsFacts {
  about: Pick<Workbook, 'title' | 'author' | 'changedAt'>;
  /** In the order of the sheets. */
  sheets: Pick<Sheet, 'name' | 'hidden' | 'hiddenRows' | 'hiddenColumns' | 'drawings'>[];
}

/**
 * Null where there is no content. @throws SourceError `extraction_limit` for more cells than `cells`, each counted as
 * often as it is repeated; `file_encrypted`; as `parseXml`
 */
export async function odsFactsOf(container: Container, limits: Limits): Promise<OdsFacts | null> {
  const manifest = await container.xml('META-INF/manifest.xml');
  if (descendantsOf(manifest ?? undefined, 'manifest:encryption-data').length > 0) {
    throw new SourceError('file_encrypted', 'The workbook is protected with a password.');
  }
  const content = await container.xml('content.xml');
  if (content === null) return null;
  const meta = childOf((await container.xml('meta.xml')) ?? undefined, 'office:meta');
  const said = (...names: string[]) => names.map((name) => textOf(childOf(meta, name)).trim()).find(Boolean) ?? null;
  const hiddenStyles = new Set(
    descendantsOf(content, 'style:style')
      .filter((style) => childOf(style, 'style:table-properties')?.attributes['table:display'] === 'false')
      .map((style) => style.attributes['style:name'] ?? ''),
  );
  const tables = elementsOf(childOf(content, 'office:body', 'office:spreadsheet'), 'table:table');
  const sheets: OdsFacts['sheets'] = [];
  const counter = { cells: 0 };
  for (const table of tables) {
    const shape = shapeOf(table, (cells) => {
      counter.cells += cells;
      assertWithin(limits, 'cells', counter.cells);
    });
    sheets.push({
      name: table.attributes['table:name'] ?? '',
      hidden: hiddenStyles.has(table.attributes['table:style-name'] ?? ''),
      ...shape,
      drawings: await drawingsIn(table, container),
    });
  }
  return {
    about: {
      title: said('dc:title'),
      author: said('dc:creator', 'meta:initial-creator'),
      changedAt: said('dc:date', 'meta:creation-date'),
    },
    sheets,
  };
}

const rowGroups = new Set(['table:table-row-group', 'table:table-header-rows', 'table:table-rows']);
const columnGroups = new Set(['table:table-column-group', 'table:table-header-columns', 'table:table-columns']);

/** Counts what a table's rows hold, and what of that is hidden. `judge` hears of the cells of each row. */
function shapeOf(table: XmlElement, judge: (cells: number) => void): Pick<Sheet, 'hiddenRows' | 'hiddenColumns'> {
  const filledColumns = new Set<number>();
  let hiddenRows = 0;
  for (const row of inGroups(table, 'table:table-row', rowGroups)) {
    const repeated = repeats(row, 'table:number-rows-repeated');
    let column = 0;
    let cells = 0;
    for (const cell of elementsOf(row)) {
      const times = repeats(cell, 'table:number-columns-repeated');
      if (cell.name === 'table:table-cell' && elementsOf(cell).length > 0) {
        cells += times;
        judge(times * repeated);
        for (let at = column; at < column + times; at += 1) filledColumns.add(at);
      }
      column += times;
    }
    if (cells > 0 && isHidden(row)) hiddenRows += repeated;
  }
  let column = 0;
  let hiddenColumns = 0;
  for (const definition of inGroups(table, 'table:table-column', columnGroups)) {
    const end = column + repeats(definition, 'table:number-columns-repeated');
    if (isHidden(definition)) hiddenColumns += [...filledColumns].filter((at) => at >= column && at < end).length;
    column = end;
  }
  return { hiddenRows, hiddenColumns };
}

/** Children of that name, those in groups included, in order. */
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
      imageTexts.push(['svg:desc', 'svg:title'].map((name) => textOf(childOf(frame, name)).trim()).find(Boolean) ?? '');
    }
  }
  return { chartTitles, texts: texts.filter((text) => text !== ''), imageTexts };
}

function paragraphs(root: XmlElement | undefined): string[] {
  return descendantsOf(root, 'text:p')
    .map((paragraph) => textOf(paragraph).trim())
    .filter((text) => text !== '');
}
