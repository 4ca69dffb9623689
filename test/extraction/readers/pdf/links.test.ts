import { withLinks } from '../../../../extraction/readers/pdf/links.ts';
import { item, pageOf } from './page.ts';

const uri = 'https://news.example/pdf';
/** A link over the first of the words in a line (72 points from the left, letters of 5) that has this text. */
function over(line: string, y: number, text: string, target = uri) {
  const rect = { x: 72 + line.indexOf(text) * 5 - 1, y: y - 1, width: text.length * 5 + 2, height: 12 };
  return { subtype: 'link', uri: target, rect, quadpointRects: [] };
}
function lineOf(text: string, y: number) {
  let at = 0;
  const words = text.split(' ').map((word) => {
    const x = 72 + at * 5;
    at += word.length + 1;
    return { text: word, x, y, width: word.length * 5, height: 10 };
  });
  return item(text, 72, y, { words });
}
const read = (markdown: string, lines: string[], ...links: [line: number, text: string, target?: string][]) =>
  withLinks(markdown, {
    ...pageOf(lines.map((line, at) => lineOf(line, 100 + at * 14))),
    annotations: links.map(([line, text, target]) => over(lines[line] ?? '', 100 + line * 14, text, target)),
  });

test('a link is around its words, without the full stop that follows', () => {
  const line = 'There is an article about it.';
  expect(read(line, [line], [0, 'article about it.'])).toBe(`There is an [article about it](${uri}).`);
});

test('two links of one line stay two, in whichever order the file has them', () => {
  const line = 'Read one or the other';
  expect(read(line, [line], [0, 'other', 'https://b.example'], [0, 'one', 'https://a.example'])).toBe(
    'Read [one](https://a.example) or the [other](https://b.example)',
  );
});

test('a link over two lines is one', () => {
  const lines = ['Read the new', 'guide first'];
  expect(read('Read the new guide first', lines, [0, 'new'], [1, 'guide'])).toBe(`Read the [new guide](${uri}) first`);
});

test('of the same words it is those below the link', () => {
  const lines = ['see here', 'and here'];
  expect(read('see here and here', lines, [1, 'here'])).toBe(`see here and [here](${uri})`);
});

test.each([
  ['the words stand there otherwise', 'an *article* it is', [0, 'an article']],
  ['they stand there more often than on the page', 'here and here', [0, 'here']],
  ['the address is none', 'an article', [0, 'an article', 'javascript:alert(1)']],
] satisfies [string, string, [number, string, string?]][])('no link where %s', (_, markdown, link) => {
  expect(read(markdown, [link[1]], link)).toBe(markdown);
});
