import type { TextItem } from '@llamaindex/liteparse';
import { runningLines, withoutLines } from '../../../../extraction/readers/pdf/running-lines.ts';
import { item, pageOf, paragraph } from './page.ts';

const body = (page: number) => [item(`What page ${page} tells.`, 72, 200), item('And more of it.', 72, 214)];
const running = (pages: TextItem[][]) =>
  runningLines(pages.map((items) => pageOf(items))).map((lines) => lines.map(({ text }) => text));

test('a header with a different section on each page is recognised by its page number', () => {
  const heads = ['1.1. Patterns 17', '18 Chapter 1. Background', '1.2. Publications 19'];
  const pages = heads.map((head, at) => [item(head, 72, 60), ...body(at)]);
  expect(running(pages)).toEqual(heads.map((head) => [head]));
});

test('a footer that is the same on all pages, and page numbers in roman numerals', () => {
  const pages = ['ii', 'iii', 'iv'].map((number, at) => [
    ...body(at),
    item('Acme Ltd, confidential', 72, 740),
    item(number, 300, 760),
  ]);
  expect(running(pages)).toEqual(['ii', 'iii', 'iv'].map((number) => ['Acme Ltd, confidential', number]));
});

test('page numbers at the top of many pages, and a header with them', () => {
  const front = ['ii', 'iii', 'iv'].map((number, at) => [
    item(`Guide ${number}`, 72, 60),
    ...body(at),
    item(number, 300, 760),
  ]);
  const pages = [...front, ...Array.from({ length: 30 }, (_, at) => body(at))];
  expect(running(pages).slice(0, 4)).toEqual([['ii'], ['iii'], ['iv'], []]);
  expect(running(front)[0]).toEqual(['Guide ii', 'ii']);
});

test.each([
  [
    'two pages are too few',
    [
      [item('Draft', 72, 60), ...body(0)],
      [item('Draft', 72, 60), ...body(1)],
    ],
  ],
  [
    'slide titles are larger than the text',
    [0, 1, 2].map((at) => [item('Results', 72, 60, { height: 30 }), ...body(at)]),
  ],
  [
    'a table header is followed by its rows',
    [0, 1, 2].map((at) => [item('Date Amount', 72, 60), item(`May ${at}`, 72, 72)]),
  ],
  ['a page may have nothing else', [1, 2, 3].map((number) => [item(`Page ${number} speaks.`, 72, 60)])],
  ['numbers that do not count the pages', [7, 7, 3].map((at, page) => [item(`${at}`, 72, 60), ...body(page)])],
])('no running line: %s', (_, pages) => {
  expect(running(pages)).toEqual(pages.map(() => []));
});

test('a running line is removed from text and tables that it was merged into', () => {
  const [line] =
    runningLines([17, 18, 19].map((number) => pageOf([item(`${number} A*B (c)`, 72, 60), ...body(number)])))[0] ?? [];
  if (line === undefined) throw new Error('no running line');
  const bbox = { x: 72, y: 60, width: 400, height: 80 };
  const cell = (text: string, y: number) => ({ text, bbox: { x: 72, y, width: 50, height: 10 } });
  const blocks = withoutLines(
    [
      { ...paragraph('17 *A\\*B (c)* an idea that goes on', 72, 60), bbox },
      { kind: 'table', bbox, header: [cell('17 A*B (c)', 60)], rows: [[cell('Name', 90)], [cell('Ada', 104)]] },
      paragraph('17 A*B (c)', 72, 500),
    ],
    [line],
  );
  expect(blocks.map(({ text }) => text)).toEqual(['an idea that goes on', undefined, '17 A*B (c)']);
  expect(blocks[1]?.header?.[0]?.text).toBe('Name');
});
