import type { LayoutBlock } from '@llamaindex/liteparse';
import { linesOf } from '../../../../extraction/readers/pdf/lines.ts';
import { partedByNumbers, withWholeParagraphs } from '../../../../extraction/readers/pdf/paragraphs.ts';
import { item, pageOf, paragraph } from './page.ts';

const joined = (...blocks: Parameters<typeof withWholeParagraphs>[0]) =>
  withWholeParagraphs(blocks).map(({ text }) => text);

test('a paragraph that was split after its first line is joined, and only its label is bold', () => {
  expect(
    joined(
      paragraph('Aim: Exercise is the easiest way for improving life and physi-', 72, 100, { bold: true }),
      paragraph('cal fitness, and reducing body stress.', 72, 111),
      paragraph('A line of its own.', 72, 122),
    ),
  ).toEqual([
    '**Aim:** Exercise is the easiest way for improving life and physical fitness, and reducing body stress.',
    'A line of its own.',
  ]);
});

test('a bibliography entry includes its hanging lines', () => {
  expect(
    joined(
      paragraph('[34] J. P. Samberg, C. Z. Carlin, G. K. Bradshaw,', 72, 100),
      paragraph('J. R. Hauser, Effect of cells.', 84, 111),
    ),
  ).toEqual(['[34] J. P. Samberg, C. Z. Carlin, G. K. Bradshaw, J. R. Hauser, Effect of cells.']);
});

test.each([
  ['a sentence ended', paragraph('All was well.', 72, 100), paragraph('and so on', 72, 111)],
  ['the second is in another column', paragraph('The benefits of', 72, 100), paragraph('other work is', 300, 100)],
  ['the second is further below', paragraph('The benefits of', 72, 100), paragraph('other work is', 72, 140)],
  [
    'the first is a heading',
    paragraph('The benefits', 72, 100, { kind: 'heading' }),
    paragraph('other work is', 72, 111),
  ],
])('two paragraphs stay separate: %s', (_, before, after) => {
  expect(joined(before, after)).toHaveLength(2);
});

test('text after a list is a separate paragraph', () => {
  const items = [
    item('Users to predict the location of', 90, 100),
    item('files and directories.', 90, 112),
    item('We do this by: rules', 72, 130),
  ];
  const text = 'Users to predict the location of files and directories. We do *this* by: rules';
  const bbox = { x: 72, y: 100, width: 300, height: 40 };
  const blocks = withWholeParagraphs([{ kind: 'list_item', level: 0, text, bbox }], linesOf(pageOf(items)));
  expect(blocks.map(({ kind, text: read }) => [kind, read])).toEqual([
    ['list_item', 'Users to predict the location of files and directories.'],
    ['paragraph', 'We do *this* by: rules'],
  ]);
});

test('a line with a file name at the end of a sentence is not a listing', () => {
  const code = (line: string, y: number): LayoutBlock => ({
    kind: 'code',
    lines: [line],
    bbox: { x: 72, y, width: 200, height: 10 },
  });
  expect(
    joined(paragraph('is copied into /usr/share/doc/', 72, 100), code('copyright, when it_is there:', 111)),
  ).toEqual(['is copied into /usr/share/doc/copyright, when it_is there:']);
  expect(joined(paragraph('Run this:', 72, 100), code('make all', 111))).toEqual(['Run this:', undefined]);
  expect(joined(paragraph('and then run', 72, 100), code('make all', 140))).toEqual(['and then run', undefined]);
});

test.each([
  ['in this text. **3.2 header:** A marker.', 'in this text.\n\n**3.2 header:** A marker.'],
  ['[1] A. One. [2] B. Two. [9] C. Nine.', '[1] A. One.\n\n[2] B. Two. [9] C. Nine.'],
  ['either: a) tea; b) coffee; or c) water', 'either:\n\na) tea;\n\nb) coffee; or\n\nc) water'],
  ['see f(x). b) is another', 'see f(x). b) is another'],
])('numbered: %j', (text, parted) => {
  expect(partedByNumbers(text)).toBe(parted);
});
