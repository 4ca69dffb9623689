import { withLinks } from '../../../../extraction/readers/pdf/links.ts';
import { item, pageOf } from './page.ts';

const uri = 'https://news.example/pdf';
/** A link over the first word with this text in a line (72 points from the left, letters 5 points wide). */
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

test('a link includes its words, without the following full stop', () => {
  const line = 'There is an article about it.';
  expect(read(line, [line], [0, 'article about it.'])).toBe(`There is an [article about it](${uri}).`);
});

test('two links of one line stay separate, in any order in the file', () => {
  const line = 'Read one or the other';
  expect(read(line, [line], [0, 'other', 'https://b.example'], [0, 'one', 'https://a.example'])).toBe(
    'Read [one](https://a.example) or the [other](https://b.example)',
  );
});

test('a link over two lines is one link', () => {
  const lines = ['Read the new', 'guide first'];
  expect(read('Read the new guide first', lines, [0, 'new'], [1, 'guide'])).toBe(`Read the [new guide](${uri}) first`);
});

test('of repeated words, those below the link rectangle are linked', () => {
  const lines = ['see here', 'and here'];
  expect(read('see here and here', lines, [1, 'here'])).toBe(`see here and [here](${uri})`);
});

test.each([
  ['the words differ in the text', 'an *article* it is', [0, 'an article']],
  ['the words occur more often than on the page', 'here and here', [0, 'here']],
  ['the URL is invalid', 'an article', [0, 'an article', 'javascript:alert(1)']],
] satisfies [string, string, [number, string, string?]][])('no link if %s', (_, markdown, link) => {
  expect(read(markdown, [link[1]], link)).toBe(markdown);
});
