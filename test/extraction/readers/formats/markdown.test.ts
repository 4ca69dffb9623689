import { textSample } from '../../../../extraction/detection/text-sample.ts';
import { markdown } from '../../../../extraction/readers/formats/markdown.ts';
import { contentOf, readAs } from '../../content.ts';

test('Markdown is kept unchanged; its title and language come from front matter', async () => {
  const text = '---\ntitle: "A: title"\nlang: de\n---\n\n# Heading\n\n<b>raw</b>  \nline\n';
  expect(await readAs(markdown, text)).toEqual({ markdown: text, title: 'A: title', languageHint: 'de' });
  expect((await readAs(markdown, '---\ntitle: plain # comment\n---\nx')).title).toBe('plain');
  expect((await readAs(markdown, '# Heading\n')).title).toBeNull();
});

test.each([
  ['# Title\n\nText\n', true],
  ['Text\n\n```js\ncode\n```\n', true],
  ['A [link](https://example.com/).', true],
  ['| a | b |\n|---|---|\n| 1 | `2` |\n', true],
  ['#!/bin/sh\n# comment\necho hi\n', false],
  ['Dear all,\n\n- one\n- two\n\nBest', false],
  ['2 * 3 ** 4 = x', false],
])('%j is Markdown: %s', (text, expected) => {
  expect(markdown.detect?.(textSample(contentOf(text)))).toBe(expected ? 'likely' : null);
});
