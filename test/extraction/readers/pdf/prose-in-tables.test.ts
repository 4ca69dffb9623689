import type { LayoutBlock } from '@llamaindex/liteparse';
import { linesOf } from '../../../../extraction/readers/pdf/lines.ts';
import { isSparse, withProse } from '../../../../extraction/readers/pdf/prose-in-tables.ts';
import { item, pageOf } from './page.ts';

const lines = [
  ['3.1', 'frame: A group of scans through the da-'],
  ['ta', 'of one component.'],
  ['3.2', 'header: A marker.'],
];

function table(gap: number, fontName = 'Times'): { items: ReturnType<typeof item>[]; block: LayoutBlock } {
  const cell = (text: string, x: number, y: number) => ({ text, bbox: { x, y, width: text.length * 5, height: 10 } });
  const at = (row: number) => 100 + row * 12;
  const second = (first: string) => 72 + first.length * 5 + gap;
  const rows = lines.map(([a = '', b = ''], row) => [cell(a, 72, at(row)), cell(b, second(a), at(row))]);
  return {
    items: lines.flatMap(([a = '', b = ''], row) => [
      item(a, 72, at(row), { fontName }),
      item(b, second(a), at(row), { fontName }),
    ]),
    block: { kind: 'table', rows, bbox: { x: 72, y: 100, width: 300, height: 36 } },
  };
}
const read = ({ items, block }: ReturnType<typeof table>) => withProse([block], linesOf(pageOf(items)));

test('columns separated by word spaces only are prose, with numbered items as separate paragraphs', () => {
  expect(read(table(3)).map(({ kind, text }) => [kind, text])).toEqual([
    ['paragraph', '3.1 frame: A group of scans through the data of one component.'],
    ['paragraph', '3.2 header: A marker.'],
  ]);
});

test('a listing keeps its lines', () => {
  expect(read(table(3, 'ABCDEF+CMTT10'))).toMatchObject([{ kind: 'code', lines: lines.map((line) => line.join(' ')) }]);
});

test('the boxes of a drawing and a single column are not a table', () => {
  const cell = (text: string, x: number, y: number) => ({ text, bbox: { x, y, width: 30, height: 10 } });
  const boxes = [cell('Hydro', 100, 100), cell('Events', 300, 130)];
  const empty = { text: '' };
  const rows = [
    [...boxes.slice(0, 1), empty, empty, empty],
    [empty, empty, empty, ...boxes.slice(1)],
  ];
  const bbox = { x: 90, y: 95, width: 300, height: 60 };
  const lined = linesOf(pageOf([item('Hydro', 100, 100), item('Events', 300, 130)]));
  const [first] = withProse([{ kind: 'table', rows: [...rows, ...rows], bbox }], lined);
  expect(first).toMatchObject({
    kind: 'table',
    rows: [
      ['', 'Events'],
      ['Hydro', ''],
      ['', 'Events'],
    ].map((row) => row.map((text) => ({ text }))),
  });
  const column = withProse(
    [{ kind: 'table', rows: [[cell('Hydro', 100, 100)], [cell('Events', 300, 130)]], bbox }],
    lined,
  );
  expect(column.map(({ text }) => text)).toEqual(['Hydro', 'Events']);
  expect(isSparse(rows.map((row) => row.map(({ text }) => text)))).toBe(true);
});

test('a table stays a table', () => {
  const made = table(20);
  expect(read(made)).toMatchObject([{ kind: 'table', header: made.block.rows?.[0] }]);
});
