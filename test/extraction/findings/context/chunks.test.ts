import fc from 'fast-check';
import { maxTokens } from '../../../../extraction/findings/context/chunks.ts';
import { countTokens } from '../../../../extraction/findings/context/tokens.ts';
import { findingsOf } from '../../../../extraction/findings/findings.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { spanOf } from '../../../../extraction/markdown/nodes.ts';
import { parseMarkdown } from '../../../../extraction/markdown/parse.ts';
import { documentOf } from '../../content.ts';

const read = (markdown: string) => findingsOf(documentOf(markdown), defaultLimits).context;

/** Returns the text outside all chunks. */
function uncovered(markdown: string): string {
  let rest = '';
  let last = 0;
  for (const { position } of read(markdown).chunks) {
    rest += markdown.slice(last, position.start);
    last = position.end;
  }
  return rest + markdown.slice(last);
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const block = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.integer({ min: 1, max: 6 }).map((depth) => `${'#'.repeat(depth)} Heading ${depth}`),
  fc.integer({ min: 1, max: 900 }).map((count) => words(count)),
  fc
    .integer({ min: 1, max: 300 })
    .map((count) => Array.from({ length: count }, (_, index) => `- item ${index} *x*`).join('\n')),
  fc.integer({ min: 1, max: 300 }).map((count) => `\`\`\`js\n${'let x = f(1);\n'.repeat(count)}\`\`\``),
  fc
    .integer({ min: 1, max: 300 })
    .map((count) => `| a | b |\n| - | - |\n${'| some cell | 2 |\n'.repeat(count)}`.trimEnd()),
  fc.integer({ min: 1, max: 200 }).map((count) => '> quoted words here\n>\n> - item in it\n'.repeat(count).trimEnd()),
  fc.constantFrom('a'.repeat(9000), '水は百度で沸騰する。'.repeat(200), '😀'.repeat(3000), '<div>\n<b>raw</b>\n</div>'),
);

test('chunks are slices of the text, in order, within the maximum, and cover all but white space', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.constantFrom('\n', '\n\n'), (blocks, glue) => {
      const markdown = blocks.join(glue);
      const { chunks, statistics } = read(markdown);
      let last = 0;
      chunks.forEach((chunk, index) => {
        expect(chunk.index).toBe(index);
        expect(markdown.slice(chunk.position.start, chunk.position.end)).toBe(chunk.text);
        expect(chunk.position.start).toBeGreaterThanOrEqual(last);
        expect(chunk.tokens).toBeLessThanOrEqual(maxTokens);
        expect(chunk.text.trim()).toBe(chunk.text);
        expect(chunk.text).toEqual(chunk.text.toWellFormed());
        expect(chunk.position.startLine).toBe(markdown.slice(0, chunk.position.start).split('\n').length);
        expect(chunk.position.endLine).toBe(markdown.slice(0, chunk.position.end).split('\n').length);
        last = chunk.position.end;
      });
      expect(uncovered(markdown).trim()).toBe('');
      expect(statistics.chunks).toBe(chunks.length);
    }),
    { numRuns: 30 },
  );
});

/** The top-level blocks as [start, end), with their type. */
const blocksOf = (markdown: string) =>
  [...parseMarkdown(markdown, { inline: false })].map((node) => ({ type: node.type, ...spanOf(node) }));

test('no chunk ends with a heading that has a text, begins in a fence or a table without its opening, or is tiny', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), (made) => {
      const markdown = made.join('\n\n');
      const blocks = blocksOf(markdown);
      const { chunks } = read(markdown);
      chunks.forEach(({ position, opening, tokens, kinds, text }, index) => {
        const last = blocks.findLast(({ start }) => start < position.end);
        const next = blocks.find(({ start }) => start >= position.end);
        if (last?.type === 'heading' && next !== undefined) expect([next.type, kinds]).toEqual(['heading', kinds]);
        const around = blocks.find(({ start, end }) => start < position.start && position.start < end);
        const source = markdown.slice(around?.start, around?.end);
        if (around?.type === 'code' && /^[`~]{3}/.test(source)) expect(opening).toBe(source.split('\n')[0]);
        else if (around?.type === 'table') expect(opening).toBe(source.split('\n').slice(0, 2).join('\n'));
        else if (around === undefined) expect(opening).toBeNull();
        expect(tokens).toBe(countTokens(opening === null ? text : `${opening}\n${text}`));
        const others = [chunks[index - 1], chunks[index + 1]].flatMap((chunk) => chunk ?? []);
        if (tokens < 60) for (const other of others) expect(tokens + other.tokens).toBeGreaterThan(maxTokens - 64);
      });
    }),
    { numRuns: 40 },
  );
});

test('a large block shares a chunk with its headings', () => {
  const code = `\`\`\`js\n${'let x = f(1);\n'.repeat(144)}\`\`\``;
  expect(countTokens(code)).toBeGreaterThan(1_000);
  const { chunks } = read(
    `${words(100)}\n\n# Chapter\n\n## A section with a rather long title about something\n\n${code}\n`,
  );
  const [, second, third] = chunks;
  expect(second?.text.startsWith('# Chapter\n\n## A section')).toBe(true);
  expect(second?.text).toMatch(/\n```js\nlet x/);
  expect(second?.kinds).toEqual(['code']);
  expect(third?.opening).toBe('```js');
});

test('chunks have their parts, and the speakers of their turns', () => {
  const parts = { unit: 'page' as const, starts: [0, 200, 2_600] };
  const turns = [
    { role: 'user' as const, speaker: 'Ann', start: 0 },
    { role: 'assistant' as const, speaker: 'Bob', start: 300 },
  ];
  const document = { ...documentOf(`${words(300)}\n\n${words(300)}\n\n${words(300)}\n`), parts, turns };
  const { chunks } = findingsOf(document, defaultLimits).context;
  expect(chunks.map(({ parts: of }) => of)).toEqual([
    { first: 1, last: 2 },
    { first: 2, last: 3 },
    { first: 3, last: 3 },
  ]);
  expect(chunks.map(({ speakers }) => speakers)).toEqual([['Ann', 'Bob'], ['Bob'], ['Bob']]);
});

test('a code block or table up to the maximum is never cut', () => {
  const code = `\`\`\`js\n${'let x = f(1);\n'.repeat(110)}\`\`\``;
  const table = `| a | b |\n| - | - |\n${'| some cell | 2 |\n'.repeat(100)}`.trimEnd();
  const { chunks } = read(`${words(200)}\n\n${code}\n\n${words(200)}\n\n${table}\n`);
  expect(chunks.some((chunk) => chunk.text.includes(code))).toBe(true);
  expect(chunks.some((chunk) => chunk.text.includes(table))).toBe(true);
});

test('a larger code block is cut at lines and a larger table at rows', () => {
  const code = `\`\`\`js\n${'let x = f(1);\n'.repeat(1000)}\`\`\``;
  for (const { text } of read(code).chunks) {
    for (const line of text.split('\n')) expect(['```js', 'let x = f(1);', '```']).toContain(line);
  }
  const table = `| a | b |\n| - | - |\n${'| some cell | 2 |\n'.repeat(1000)}`;
  expect(read(table).chunks.length).toBeGreaterThan(5);
  for (const { text } of read(table).chunks) for (const line of text.split('\n')) expect(line).toMatch(/^\|.*\|$/);
});

test('chunks have the headings above them, and do not extend into a section of a higher level', () => {
  const markdown = `# Book\n\n## One\n\n${words(300)}\n\n${words(300)}\n\n### Deep\n\n${words(300)}\n\n## Two\n\n${words(300)}\n`;
  const { chunks } = read(markdown);
  const paths = chunks.map(({ headings, text }) => [headings.join(' > '), text.split('\n')[0]]);
  expect(paths[0]).toEqual(['', '# Book']);
  expect(paths).toContainEqual(['Book > One', '### Deep']);
  expect(paths).toContainEqual(['Book', '## Two']);
  expect(chunks.some(({ headings, text }) => headings.join() === 'Book,One' && text.startsWith('word0'))).toBe(true);
});

test('adjacent small sections share a chunk, and no chunk has front matter', () => {
  const { chunks } = read('---\ntitle: x\n---\n\n# A\n\none\n\n# B\n\ntwo\n');
  expect(chunks.map((chunk) => chunk.text)).toEqual(['# A\n\none\n\n# B\n\ntwo']);
});
