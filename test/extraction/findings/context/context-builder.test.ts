import { contextSchema } from '../../../../contract/extraction.ts';
import { countTokens } from '../../../../extraction/findings/context/tokens.ts';
import { findingsOf } from '../../../../extraction/findings/findings.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { documentOf } from '../../content.ts';
import { expectLinear } from '../../processor-time.ts';

const read = (markdown: string, title: string | null = null, languageHint: string | null = null) => ({
  ...findingsOf(documentOf(markdown, { title, languageHint }), defaultLimits).context,
  reading: null,
});

test('the context has title, outline and statistics, and matches the schema', () => {
  const markdown =
    'Intro.\n\n# The *Title*\n\nDr. Smith boils water. It takes a while.\n\n```js\nlet code = 1;\n```\n\nSub\n---\n\n> # quoted\n';
  const context = read(markdown);
  expect(contextSchema.parse(context)).toEqual(context);
  expect(context.title).toBe('The Title');
  expect(context.outline.map(({ depth, title }) => [depth, title])).toEqual([
    [1, 'The Title'],
    [2, 'Sub'],
  ]);
  for (const { title, position } of context.outline) {
    const source = markdown.slice(position.start, position.end);
    expect(source.replaceAll('*', '')).toContain(title);
    expect(position.startLine).toBe(markdown.slice(0, position.start).split('\n').length);
  }
  // Intro. The Title. Dr. Smith boils water. It takes a while. Sub. quoted.
  expect(context.statistics).toMatchObject({ words: 13, sentences: 6, readingSeconds: 4 });
});

test('titles and words have no Markdown syntax', () => {
  const text = 'A *b* [c](d) `e` &amp; \\*f\\* **g** ![image](i.png) <i>h</i>';
  expect(read(`## ${text} ##\n`).outline).toMatchObject([{ title: 'A b c e & *f* g image <i>h</i>' }]);
  // Neither the image nor the address is a word: A b c e f g h, see.
  expect(read(`${text}\nsee https://example.com/a?b`).statistics.words).toBe(8);
});

test('the title comes from the format, otherwise from the first heading', () => {
  expect(read('# Heading\n', ' Given\ntitle ').title).toBe('Given title');
  expect(read('text\n\n## First\n\n# Second\n').title).toBe('First');
  expect(read('no heading\n').title).toBeNull();
});

test.each([
  ['The weather is nice today and we are going to the park.', 'en'],
  ['Das Wetter ist heute schön, und wir gehen in den Park.', 'de'],
  ["Il fait beau aujourd'hui et nous allons au parc avec les enfants.", 'fr'],
  ['今日は天気がいいので、公園に行きます。', 'ja'],
  ['Сегодня хорошая погода, и мы идём в парк с детьми.', 'ru'],
  ['ok 42', null],
  ['```js\nlet thing = whatever(the, code, says);\n```', null],
])('the language of %j is %j', (text, language) => {
  expect(read(text).language).toBe(language);
});

test('the declared language applies to short texts, the detected one to long texts', () => {
  expect(read('Hotel Taxi', null, 'de-AT').language).toBe('de');
  expect(
    read('Das Wetter ist heute schön, und wir gehen alle zusammen in den Park. '.repeat(6), null, 'en').language,
  ).toBe('de');
  expect(read('Hotel Taxi', null, 'klingon!').language).toBeNull();
});

test('characters are code points, and scripts without spaces have words', () => {
  expect(read('a😀').statistics.characters).toBe(2);
  expect(read('今日は天気がいいです').statistics.words).toBeGreaterThan(3);
  expect(read('See [the page](https://example.com/a/b) at https://example.com/x').statistics.words).toBe(4);
});

test('tokens are counted with o200k_base, control tokens as text', () => {
  expect(countTokens('hello world')).toBe(2);
  expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  expect(countTokens('')).toBe(0);
});

test('one run of 200,000 letters is counted in linear time', () => {
  expect(countTokens('a'.repeat(200_000))).toBe(25_000);
  expectLinear((size) => countTokens('a'.repeat(size)), 50_000);
  expectLinear((size) => countTokens(' '.repeat(size)), 50_000);
});

test('text above the limit of a source ends as extraction_limit', () => {
  expect(() => read('x\n'.repeat(11 * 1024 * 1024))).toThrow(expect.objectContaining({ code: 'extraction_limit' }));
});
