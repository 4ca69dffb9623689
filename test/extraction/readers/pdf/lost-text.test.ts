import type { LayoutBlock, TextItem } from '@llamaindex/liteparse';
import { linesOf } from '../../../../extraction/readers/pdf/lines.ts';
import { withLostText } from '../../../../extraction/readers/pdf/lost-text.ts';
import { item, pageOf, paragraph } from './page.ts';

const read = (blocks: LayoutBlock[], items: TextItem[]) => withLostText(blocks, linesOf(pageOf(items)), items);

test('a line outside all blocks becomes a paragraph at its position', () => {
  const first = paragraph('1 Licensed under the Apache License.', 72, 100);
  const last = paragraph('func ReadFile', 72, 140);
  const items = [
    item('1 Licensed under the Apache License.', 72, 100),
    item('reads *all* of it', 72, 120),
    item('func ReadFile', 72, 140),
  ];
  expect(read([first, last], items).map(({ text }) => text)).toEqual([first.text, 'reads \\*all\\* of it', last.text]);
});

test('a word missing from a table is restored to its cell', () => {
  const cell = (text: string, x: number, y: number) => ({ text, bbox: { x, y, width: 50, height: 10 } });
  const table: LayoutBlock = {
    kind: 'table',
    bbox: { x: 72, y: 100, width: 300, height: 22 },
    header: [cell('Offence', 72, 100), cell('2009', 200, 100)],
    rows: [[cell('Murder', 72, 112), cell('', 200, 112)]],
  };
  const [read1] = read(
    [table],
    [item('Offence', 72, 100), item('2009', 200, 100), item('Murder', 72, 112), item('12.5', 202, 112)],
  );
  expect(read1?.rows?.[0]?.map(({ text }) => text.trim())).toEqual(['Murder', '12.5']);
});

test('vertical text comes at the end', () => {
  const blocks = read(
    [paragraph('Level', 72, 100)],
    [item('Level', 72, 100), item('starboard', 20, 300, { rotation: 90 })],
  );
  expect(blocks.map(({ text }) => text)).toEqual(['Level', 'starboard']);
});

test.each([
  ['a word hyphenated at a line end', 'a paragraph about numbers', ['a para-', 'graph about numbers']],
  ['a ligature', 'the first', ['the ﬁrst']],
  ['signs alone', 'a', ['. . . .', 'a']],
])('nothing is lost: %s', (_, text, lines) => {
  const blocks = [paragraph(text, 72, 100)];
  expect(
    read(
      blocks,
      lines.map((line, at) => item(line, 72, 100 + at * 12)),
    ),
  ).toEqual(blocks);
});
