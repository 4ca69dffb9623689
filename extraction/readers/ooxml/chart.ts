/** Charts (ECMA-376 part 1, 21.2) -> title and a table of the stored values. */
import { type Block, type Cell, plain } from '../document/blocks.ts';
import { oneLine } from '../document/inline.ts';
import type { LeftOut } from '../document/left-out.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';

interface Series {
  name: string;
  categories: string[];
  values: string[];
}

/** A chart as a bold title and a table: a row for each category, a column for each series. */
export function chartBlocks(root: XmlElement, leftOut: LeftOut): Block[] {
  const title = titleText(descendantsOf(root, 'c:chart')[0]) || titleText(descendantsOf(root, 'cx:chart')[0]);
  const area = descendantsOf(root, 'c:plotArea')[0];
  const series = area === undefined ? extendedSeries(root) : descendantsOf(area, 'c:ser').map(readSeries);
  const stored = series.filter(({ values }) => values.length > 0);
  if (stored.length === 0) {
    leftOut.add('charts_without_data');
    return title === '' ? [] : [titleBlock(title)];
  }
  const category = titleText(axisOf(area, ['c:catAx', 'c:dateAx']) ?? elementsOf(area, 'c:valAx')[1]);
  const value = titleText(elementsOf(area, 'c:valAx')[0]);
  const heading = [title, value].filter((text) => text !== '').join(' – ');
  const blocks: Block[] = heading === '' ? [] : [titleBlock(heading)];
  // The series of bar and line charts share their categories; those of scatter charts have their own.
  const [first] = stored;
  const shared = stored.every(
    (one) => one.categories.length === 0 || sameTexts(one.categories, first?.categories ?? []),
  );
  for (const group of shared ? [stored] : stored.map((one) => [one])) blocks.push(tableOf(group, category));
  return blocks;
}

function titleBlock(text: string): Block {
  return { kind: 'paragraph', content: [{ kind: 'text', text, marks: new Set(['bold']), href: null }] };
}

function tableOf(series: Series[], category: string): Block {
  const rows = series.reduce((max, one) => Math.max(max, one.values.length, one.categories.length), 0);
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const row = (texts: string[]): Cell[] =>
    texts.map((text) => ({
      blocks: text === '' ? [] : [{ kind: 'paragraph', content: [plain(text)] }],
      columns: 1,
      continues: false,
    }));
  return {
    kind: 'table',
    rows: [
      row([category, ...series.map(({ name }) => name)]),
      ...Array.from({ length: rows }, (_, at) =>
        row([categories[at] ?? String(at + 1), ...series.map(({ values }) => values[at] ?? '')]),
      ),
    ],
  };
}

function sameTexts(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

function axisOf(area: XmlElement | undefined, names: string[]): XmlElement | undefined {
  return elementsOf(area).find(({ name }) => names.includes(name));
}

/** The text of an element's title, literal or stored from the cell that it refers to. */
function titleText(element: XmlElement | undefined): string {
  const title = childOf(element, 'c:title') ?? childOf(element, 'cx:title');
  const written = descendantsOf(title, 'a:p').map((line) => descendantsOf(line, 'a:t').map(textOf).join(''));
  const text = written.length > 0 ? written.join(' ') : descendantsOf(title, 'c:v').map(textOf).join(' ');
  return oneLine(text);
}

function readSeries(element: XmlElement): Series {
  const name = oneLine(descendantsOf(childOf(element, 'c:tx'), 'c:v').map(textOf).join(' '));
  const categories = childOf(element, 'c:cat') ?? childOf(element, 'c:xVal');
  const values = childOf(element, 'c:val') ?? childOf(element, 'c:yVal');
  const levels = descendantsOf(categories, 'c:lvl');
  if (levels.length > 0)
    return { name, categories: joinLevels(levels.map((level) => points(level, ''))), values: cache(values) };
  return { name, categories: cache(categories), values: cache(values) };
}

/**
 * Joins categories of several levels. The outermost level is last in the file and only has the first of equal values.
 */
function joinLevels(levels: string[][]): string[] {
  const outer: string[] = [];
  return (levels[0] ?? []).map((text, at) => {
    const parts = levels.slice(1).map((level, depth) => {
      outer[depth] = level[at] || outer[depth] || '';
      return outer[depth] ?? '';
    });
    return [...parts.toReversed(), text].filter((part) => part !== '').join(' / ');
  });
}

function cache(element: XmlElement | undefined): string[] {
  const stored = ['c:strRef', 'c:numRef'].flatMap((name) => elementsOf(childOf(element, name)));
  const direct = elementsOf(element).filter(({ name }) => /Lit$/.test(name));
  const found = [...stored, ...direct].find(({ name }) => /(?:Cache|Lit)$/.test(name));
  return found === undefined ? [] : points(found, textOf(childOf(found, 'c:formatCode')));
}

const maxPoints = 100_000;

function points(stored: XmlElement, format: string): string[] {
  const texts: string[] = [];
  for (const point of elementsOf(stored, 'c:pt')) {
    const at = Number(point.attributes.idx ?? texts.length);
    if (Number.isSafeInteger(at) && at >= 0 && at < maxPoints) {
      texts[at] = shown(
        textOf(childOf(point, 'c:v')),
        childOf(point, 'c:v') === undefined ? '' : (point.attributes.formatCode ?? format),
      );
    }
  }
  return Array.from(texts, (text) => text ?? '');
}

/** A stored value for display: rounded, shares as percent, serial days as dates. */
function shown(text: string, format: string): string {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return oneLine(text);
  if (/%/.test(format)) return `${Number((value * 100).toPrecision(10))}%`;
  if (
    /[dy]/i.test(format.replace(/"[^"]*"|\[[^\]]*\]/g, '')) &&
    value > 0 &&
    value < 2_958_466 &&
    !/general/i.test(format)
  ) {
    return new Date(Math.round((value - 25_569) * 86_400_000)).toISOString().slice(0, 10);
  }
  return String(Number(value.toPrecision(12)));
}

/**
 * Series of the chart kinds since Office 2016 (waterfall, sunburst and others), which have their data in one element.
 */
function extendedSeries(root: XmlElement): Series[] {
  const names = descendantsOf(root, 'cx:series').map((one) =>
    oneLine(descendantsOf(one, 'cx:v').map(textOf).join(' ')),
  );
  return descendantsOf(root, 'cx:data').map((data, at) => {
    const levels = (element: XmlElement | undefined) =>
      elementsOf(element, 'cx:lvl').map((level) => elementsOf(level, 'cx:pt').map((point) => shown(textOf(point), '')));
    const categories = levels(childOf(data, 'cx:strDim'));
    return {
      name: names[at] ?? '',
      categories: joinLevels(categories),
      values: levels(childOf(data, 'cx:numDim'))[0] ?? [],
    };
  });
}
