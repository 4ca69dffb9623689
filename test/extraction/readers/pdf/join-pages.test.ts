import { joinPages } from '../../../../extraction/readers/pdf/join-pages.ts';

const table = '| Day | Sum |\n| --- | --- |';

test.each([
  ['a sentence continues', ['found that the result', 'is the same'], 'found that the result is the same'],
  ['a word continues', ['the mea-', 'surement'], 'the measurement'],
  [
    'a table continues without its header',
    [`${table}\n| 1 | 2 |`, `${table}\n| 3 | 4 |`],
    `${table}\n| 1 | 2 |\n| 3 | 4 |`,
  ],
  [
    'another table',
    [`${table}\n| 1 | 2 |`, '| Name |\n| --- |\n| A |'],
    `${table}\n| 1 | 2 |\n\n| Name |\n| --- |\n| A |`,
  ],
  ['a new sentence', ['It ended.', 'And began.'], 'It ended.\n\nAnd began.'],
  ['a heading', ['# the end', 'of it'], '# the end\n\nof it'],
  ['an empty page', ['One.', '', 'Two.'], 'One.\n\nTwo.'],
])('%s', (_, pages, markdown) => {
  expect(joinPages(pages).markdown).toBe(markdown);
});

test('each page part begins at its first text', () => {
  const { markdown, starts } = joinPages(['One goes', 'on here.', '', 'Three.']);
  expect(starts.map((start) => markdown.slice(start, start + 3))).toEqual(
    ['One', 'on ', '', 'Thr'].map((text, at) => (at === 2 ? markdown.slice(starts[2]).slice(0, 3) : text)),
  );
  expect(starts).toEqual([0, 9, 17, 19]);
});
