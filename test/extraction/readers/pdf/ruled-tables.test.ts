import type { TextItem, VectorLine } from '@llamaindex/liteparse';
import { ruledTables } from '../../../../extraction/readers/pdf/ruled-tables.ts';
import { item, pageOf } from './page.ts';

const line = (x1: number, y1: number, x2: number, y2: number): VectorLine => ({
  x1,
  y1,
  x2,
  y2,
  stroke: true,
  fill: false,
});
const flat = (from: number, to: number, ...ys: number[]) => ys.map((y) => line(from, y, to, y));
const upright = (from: number, to: number, ...xs: number[]) => xs.map((x) => line(x, from, x, to));
const read = (items: TextItem[], lines: VectorLine[]) =>
  ruledTables({ ...pageOf(items), vectorGraphics: { lines, shapes: [] } }).map(({ rows }) => rows);

const items = [
  item('Name', 110, 105),
  item('Age', 210, 105),
  item('Ada', 110, 125),
  item('Lovelace', 130, 125),
  item('36', 210, 125),
];
const rows = [
  ['Name', 'Age'],
  ['Ada Lovelace', '36'],
];

test('text between ruling lines becomes a table', () => {
  expect(read(items, [...flat(100, 300, 100, 120, 140), ...upright(100, 140, 100, 200, 300)])).toEqual([rows]);
});

test('the outer columns may lack an outer line', () => {
  const three = [item('Born', 310, 105), item('1815', 310, 125)];
  expect(read([...items, ...three], [...flat(100, 400, 100, 120, 140), ...upright(100, 140, 200, 300)])).toEqual([
    rows.map((row, at) => [...row, at === 0 ? 'Born' : '1815']),
  ]);
});

test('two tables on a page stay separate', () => {
  const below = items.map((one) => ({ ...one, y: one.y + 200 }));
  const grid = [...flat(100, 300, 100, 120, 140), ...upright(100, 140, 100, 200, 300)];
  const moved = grid.map((one) => ({ ...one, y1: one.y1 + 200, y2: one.y2 + 200 }));
  expect(read([...items, ...below], [...grid, ...moved])).toEqual([rows, rows]);
});

test.each([
  ['lines that do not cross', [...flat(100, 180, 100, 120, 140), ...upright(100, 140, 200, 300)]],
  ['a frame', [...flat(100, 300, 100, 140), ...upright(100, 140, 100, 300)]],
  ['more lines than a table has', flat(100, 300, ...Array.from({ length: 2100 }, (_, at) => at))],
])('no table: %s', (_, lines) => {
  expect(read(items, lines)).toEqual([]);
});

test('empty columns are removed', () => {
  expect(read(items, [...flat(90, 300, 100, 120, 140), ...upright(100, 140, 90, 100, 200, 300)])).toEqual([rows]);
});

test('lines between the words of a sentence are not a table', () => {
  const prose = [
    item('Compare to the', 110, 105),
    item('others of it', 183, 105),
    item('script only', 110, 125),
    item('as before', 200, 125),
  ];
  expect(read(prose, [...flat(100, 300, 100, 120, 140), ...upright(100, 140, 100, 182, 300)])).toEqual([]);
});

test('lines around groups of columns do not define a table', () => {
  const grouped = [0, 1, 2].flatMap((row) => [10, 60, 110].map((x) => item(`${row}${x}`, 100 + x, 125 + row * 12)));
  const lines = [...flat(100, 500, 100, 120, 160), ...upright(100, 160, 100, 300, 500)];
  expect(read([item('Total', 110, 105), item('Male', 310, 105), ...grouped], lines)).toEqual([]);
});
