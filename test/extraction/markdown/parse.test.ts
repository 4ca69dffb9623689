import fc from 'fast-check';
import type { RootContent } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import { spanOf } from '../../../extraction/markdown/nodes.ts';
import { parseMarkdown } from '../../../extraction/markdown/parse.ts';
import { processorMs } from '../processor-time.ts';

const section = (index: number) =>
  `## Section ${index}\n\nSome *text* with [a link][ref] and more of it.\n\n- item\n\n  \`\`\`js\n  let x = 1;\n\n  let y;\n  \`\`\`\n- next\n\n` +
  `\`\`\`py\n# code ${index}\n\nplain = 1\n\`\`\`\n\n<pre>\nraw\n\nplain\n</pre>\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n`;

test('a long text is parsed in pieces with the same blocks, positions and references as in one piece', () => {
  const text = Array.from({ length: 800 }, (_, index) => section(index)).join('');
  const long = `${text}[ref]: https://example.com/\n`;
  expect(long.length).toBeGreaterThan(150_000);
  const blocks = [...parseMarkdown(long, { inline: true })];
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
    const blocks = [...parseMarkdown(`${open}\n${lines}${close}\n\nafter\n`, { inline: false })];
    expect(blocks.map((block) => block.type)).toEqual([type, 'paragraph']);
  }
});

test('a table longer than a piece has all rows and cells with their positions', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => `| ${at} | a \\| b [${at}](https://x.example/${at}) |  |`);
  const text = `Before\n\n| n | name | none |\n| --- | --- | --- |\n${rows.join('\n')}\n\nafter\n`;
  const blocks = [...parseMarkdown(text, { inline: true })];
  const tables = blocks.filter((block) => block.type === 'table');
  expect(tables.length).toBeGreaterThan(3);
  expect(tables.map((table) => table.data?.continued === true)).toEqual(tables.map((_, at) => at > 0));
  const found = tables.flatMap((table) => table.children).slice(1);
  expect(found.map((row) => row.children.map((cell) => textOf(cell)))).toEqual(
    rows.map((_, at) => [`${at}`, `a | b ${at}`, '']),
  );
  expect(found.map((row) => text.slice(spanOf(row).start, spanOf(row).end))).toEqual(rows);
  expect(found.at(-1)?.position?.start.line).toBe(5_004);
  const link = found.at(-1)?.children[1]?.children.find((node) => node.type === 'link');
  expect(link && text.slice(spanOf(link).start, spanOf(link).end)).toBe('[4999](https://x.example/4999)');
  expect(blocks.at(-1)?.type).toBe('paragraph');
});

test('a long list, a log without blank lines and a very long line are split without loss', () => {
  for (const text of [
    Array.from({ length: 8_000 }, (_, at) => `- item ${at}\n  goes on`).join('\n'),
    Array.from({ length: 8_000 }, (_, at) => `12:00:${at} GET /${at}`).join('\n'),
    Array.from({ length: 50_000 }, (_, at) => `word${at}`).join(' '),
    '😀'.repeat(300_000),
  ]) {
    const blocks = [...parseMarkdown(text, { inline: false })];
    expect(blocks.length).toBeGreaterThan(1);
    expect(new Set(blocks.map(({ type }) => type)).size).toBe(1);
    let last = 0;
    for (const { start, end } of blocks.map(spanOf)) {
      expect(text.slice(last, start).trim()).toBe('');
      last = end;
    }
    expect(last).toBe(text.length);
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
  let blocks: RootContent[] = [];
  const ms = processorMs(() => {
    blocks = [...parseMarkdown(`${text}x`, { inline: true })];
  });
  expect(blocks.map((block) => textOf(block)).join('')).toContain('x');
  expect(ms).toBeLessThan(10_000);
});

test('text that is nested too deeply is kept unchanged', () => {
  const text = `${'> '.repeat(30)}- deep 1. one\n`;
  const [quote] = parseMarkdown(text, { inline: true });
  expect(textOf(quote)).toBe('> > > > > > - deep 1. one');
});

test('any text parses into blocks that are within the text and in order', () => {
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
