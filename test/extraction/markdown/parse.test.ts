import fc from 'fast-check';
import { toString as textOf } from 'mdast-util-to-string';
import { parseMarkdown, plainText, spanOf } from '../../../extraction/markdown/parse.ts';

const section = (index: number) =>
  `## Section ${index}\n\nSome *text* with [a link][ref] and more of it.\n\n- item\n\n  \`\`\`js\n  let x = 1;\n\n  let y;\n  \`\`\`\n- next\n\n` +
  `\`\`\`py\n# code ${index}\n\nplain = 1\n\`\`\`\n\n<pre>\nraw\n\nplain\n</pre>\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n`;

test('a long text is parsed in pieces with the same blocks, positions and references as in one piece', () => {
  const text = Array.from({ length: 800 }, (_, index) => section(index)).join('');
  const long = `${text}[ref]: https://example.com/\n`;
  expect(long.length).toBeGreaterThan(150_000);
  const blocks = parseMarkdown(long, { inline: true });
  expect(blocks.filter((block) => block.type === 'heading')).toHaveLength(800);
  expect(blocks.filter((block) => block.type === 'code')).toHaveLength(800);
  expect(blocks.filter((block) => block.type === 'list')).toHaveLength(800);
  expect(blocks.filter((block) => block.type === 'table')).toHaveLength(800);
  expect(blocks.filter((block) => block.type === 'html')).toHaveLength(800);
  expect(JSON.stringify(blocks).match(/"linkReference"/g)).toHaveLength(800);
  blocks
    .filter((block) => block.type === 'heading')
    .forEach((heading, index) => {
      const { start, end } = spanOf(heading);
      expect(long.slice(start, end)).toBe(`## Section ${index}`);
      expect(heading.position?.start.line).toBe(long.slice(0, start).split('\n').length);
    });
});

test('a fence or raw HTML longer than a piece stays one block', () => {
  const lines = 'plain line\n\n'.repeat(10_000);
  for (const [open, close, type] of [
    ['```', '```', 'code'],
    ['<!--', '-->', 'html'],
    ['<pre>', '</pre>', 'html'],
  ]) {
    const blocks = parseMarkdown(`${open}\n${lines}${close}\n\nafter\n`, { inline: false });
    expect(blocks.map((block) => block.type)).toEqual([type, 'paragraph']);
  }
});

test.each([
  ['50,000 quote marks', '>'.repeat(50_000)],
  ['50,000 spaced quote marks', '> '.repeat(50_000)],
  ['800 list levels', Array.from({ length: 800 }, (_, level) => `${' '.repeat(2 * level)}- x`).join('\n')],
  ['20,000 list marks on a line', '* - + '.repeat(20_000)],
  ['20,000 footnotes in each other', '[^a]: '.repeat(20_000)],
  ['50,000 brackets', '['.repeat(50_000)],
  ['20,000 emphasis marks', '**a '.repeat(20_000)],
])('%s do not hang the parser', (_, text) => {
  const blocks = parseMarkdown(`${text}x`, { inline: true });
  expect(blocks.map((block) => textOf(block)).join('')).toContain('x');
});

test('text that is nested too deeply keeps its own characters', () => {
  const text = `${'> '.repeat(30)}- deep 1. one\n`;
  const [quote] = parseMarkdown(text, { inline: true });
  expect(textOf(quote)).toBe('> > > > > > - deep 1. one');
});

test('any text parses, with every block within the text and after the one before it', () => {
  const unit = fc.constantFrom(
    '#',
    '>',
    '-',
    '`',
    '```',
    '\n',
    '\n\n',
    ' ',
    'a',
    '[',
    ']',
    '(',
    ')',
    '|',
    '*',
    '1.',
    '<',
    '\t',
    'é',
    '😀',
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 80 }), (units) => {
      const text = units.join('');
      let last = 0;
      for (const block of parseMarkdown(text, { inline: false })) {
        const { start, end } = spanOf(block);
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeLessThanOrEqual(text.length);
        last = end;
      }
    }),
    { numRuns: 300 },
  );
});

test('plain text is what a reader sees', () => {
  expect(plainText('A *b* [c](d) `e` &amp; \\*f\\* **g**\nh')).toBe('A b c e & *f* g h');
});
