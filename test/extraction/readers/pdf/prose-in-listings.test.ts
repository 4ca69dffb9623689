import { withProseOfListings } from '../../../../extraction/readers/pdf/prose-in-listings.ts';

const read = (...lines: string[]) =>
  withProseOfListings([{ kind: 'code', lines }]).map(({ kind, text }) => [kind, text]);

test('OCR text in a monospaced font becomes paragraphs', () => {
  expect(
    read(
      'We have previously shown the possibility of reanimating the adult rat cooled to a body',
      'temperature near the freezing point. The heating was the first step in resuscita-',
      'tion.',
      'The apparatus used for heating in present experiments was powered by a continuous wave',
      'magnetron, operating at a *frequency* of some thousands of cycles each second.',
    ),
  ).toEqual([
    [
      'paragraph',
      'We have previously shown the possibility of reanimating the adult rat cooled to a body temperature near the freezing point. The heating was the first step in resuscitation.',
    ],
    [
      'paragraph',
      'The apparatus used for heating in present experiments was powered by a continuous wave magnetron, operating at a \\*frequency\\* of some thousands of cycles each second.',
    ],
  ]);
});

test.each([
  ['a program', ['func main() {', '  for i := range list {', '    print(i)', '  }', '}']],
  [
    'a program with comments',
    ['# this is what the loop below does for us', 'for a in b:', '  print(a)', 'x = 1', 'y = 2'],
  ],
  ['a few lines of output', ['the file that was found is not the one that we want', 'exit 1']],
])('a listing stays a listing: %s', (_, lines) => {
  expect(read(...lines)).toEqual([['code', undefined]]);
});
