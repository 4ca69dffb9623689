import fc from 'fast-check';
import { toString as textOf } from 'mdast-util-to-string';
import { parseMarkdown } from '../../../extraction/markdown/parse.ts';
import { escapeText } from '../../../extraction/markdown/write.ts';

const rendered = (text: string) =>
  Array.from(parseMarkdown(escapeText(text), { inline: true }), (block) => textOf(block, { includeHtml: false })).join(
    '\n',
  );

test.each([
  'Use <div> and </div> with &amp; and & alone',
  'a *starred* word, 2 * 3 * 4 and **bold**',
  '_private and __dunder__ and snake_case_name',
  'see [1] and [text](target) and ![x](y) and [^2]',
  'back\\slash and C:\\path\\*.txt and `ticks`',
  '~~no~~ and ~/home',
  '# not a heading',
  'Array<string> and a<b>c',
])('%j reads the same', (text) => {
  expect(rendered(text)).toBe(text);
});

test('any line of syntax characters and words reads the same', () => {
  const unit = fc.constantFrom(
    'a',
    'bc',
    ' ',
    '*',
    '**',
    '_',
    '`',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '&',
    'amp;',
    '\\',
    '~',
    '!',
    '#',
    '|',
    ':',
    'é',
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 25 }), (units) => {
      const text = `word ${units.join('')} end`;
      expect(rendered(text)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

test('paragraphs, lists, quotes, underlined titles and indented blocks stay', () => {
  const text = 'Title\n=====\n\nOne\ntwo\n\n- a_b\n- c\n\n1. first\n\n> quoted\n\n    int *p = &x;\n';
  expect(escapeText(text)).toBe(text);
});

test('an underline does not turn a paragraph into a heading', () => {
  const blocks = [...parseMarkdown(escapeText('one\ntwo\n---\nthree'), { inline: true })];
  expect(blocks.map((block) => block.type)).toEqual(['paragraph']);
});

test('addresses stay links', () => {
  const text = 'Read https://example.com/a_b_c?x=*&y=1 or mail some_one@example.com';
  expect(escapeText(text)).toBe(text);
});
