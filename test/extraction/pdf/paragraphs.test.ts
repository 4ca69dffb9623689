import { partedByNumbers, withWholeParagraphs } from '../../../extraction/pdf/paragraphs.ts';
import { paragraph } from './page.ts';

const joined = (...blocks: Parameters<typeof withWholeParagraphs>[0]) =>
  withWholeParagraphs(blocks).map(({ text }) => text);

test('a paragraph that was cut after its first line goes on, and is bold in its label alone', () => {
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

test('a reference goes on in its hanging lines', () => {
  expect(
    joined(
      paragraph('[34] J. P. Samberg, C. Z. Carlin, G. K. Bradshaw,', 72, 100),
      paragraph('J. R. Hauser, Effect of cells.', 84, 111),
    ),
  ).toEqual(['[34] J. P. Samberg, C. Z. Carlin, G. K. Bradshaw, J. R. Hauser, Effect of cells.']);
});

test.each([
  ['a sentence ended', paragraph('All was well.', 72, 100), paragraph('and so on', 72, 111)],
  ['it stands in another column', paragraph('The benefits of', 72, 100), paragraph('other work is', 300, 100)],
  ['it stands further below', paragraph('The benefits of', 72, 100), paragraph('other work is', 72, 140)],
  ['a heading is none', paragraph('The benefits', 72, 100, { kind: 'heading' }), paragraph('other work is', 72, 111)],
])('two paragraphs stay two: %s', (_, before, after) => {
  expect(joined(before, after)).toHaveLength(2);
});

test.each([
  ['in this text. **3.2 header:** A marker.', 'in this text.\n\n**3.2 header:** A marker.'],
  ['[1] A. One. [2] B. Two. [9] C. Nine.', '[1] A. One.\n\n[2] B. Two. [9] C. Nine.'],
  ['either: a) tea; b) coffee; or c) water', 'either:\n\na) tea;\n\nb) coffee; or\n\nc) water'],
  ['see f(x). b) is another', 'see f(x). b) is another'],
])('numbered: %j', (text, parted) => {
  expect(partedByNumbers(text)).toBe(parted);
});
