import { looksLikeMarkdown, markdownFromText } from '../../../extraction/formats/markdown.ts';

test('Markdown is kept as it is; its title and language come from front matter', () => {
  const text = '---\ntitle: "A: title"\nlang: de\n---\n\n# Heading\n\n<b>raw</b>  \nline\n';
  expect(markdownFromText(text)).toEqual({ markdown: text, title: 'A: title', languageHint: 'de' });
  expect(markdownFromText('---\ntitle: plain # comment\n---\nx').title).toBe('plain');
  expect(markdownFromText('# Heading\n').title).toBeNull();
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
  expect(looksLikeMarkdown(text)).toBe(expected);
});
