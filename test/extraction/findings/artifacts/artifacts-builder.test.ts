import { createHash } from 'node:crypto';
import { extractedArtifactsSchema } from '../../../../contract/extraction.ts';
import { artifactsOf } from '../../../../extraction/findings/findings.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';

const extractArtifacts = (text: string) => artifactsOf(text, defaultLimits);

const markdown = `# Guide

See [the *page*](https://example.com/a "Tip"), <https://example.com/b>, https://example.com/c and [by name][ref].
Not these: [local](../x.md), [anchor](#y), [script](javascript:alert(1)), \`https://code.example/\`.

## Code

\`\`\`TypeScript title=x
// ---
const a = 1;
\`\`\`

    indented code

| Name | Value |
|------|-------|
| a \\| b | 1 |

[ref]: https://example.com/d
`;

test('code, tables and links are found in order, with exact positions and the headings above', () => {
  const artifacts = extractArtifacts(markdown);
  expect(extractedArtifactsSchema.parse(artifacts)).toEqual(artifacts);
  expect(artifacts.map(({ kind, title, language }) => [kind, title, language])).toEqual([
    ['link', 'the page', null],
    ['link', 'https://example.com/b', null],
    ['link', 'https://example.com/c', null],
    ['link', 'by name', null],
    ['code', 'const a = 1;', 'typescript'],
    ['code', 'indented code', null],
    ['table', 'Name | Value', null],
  ]);
  const sources = artifacts.map(({ position }) => markdown.slice(position.start, position.end));
  expect(sources[0]).toBe('[the *page*](https://example.com/a "Tip")');
  expect(sources[4]).toMatch(/^```TypeScript[\s\S]*```$/);
  expect(artifacts[4]).toMatchObject({ content: '// ---\nconst a = 1;', metadata: { headings: ['Guide', 'Code'] } });
  expect(artifacts[4]?.position).toMatchObject({ startLine: 8, endLine: 11 });
  expect(artifacts[6]).toMatchObject({ content: sources[6], metadata: { columns: ['Name', 'Value'], rows: 1 } });
  expect(artifacts.filter(({ kind }) => kind === 'link').map(({ content }) => content)).toEqual([
    'https://example.com/a',
    'https://example.com/b',
    'https://example.com/c',
    'https://example.com/d',
  ]);
});

test('the hash is SHA-256 of the normalised content', () => {
  const [code] = extractArtifacts('```\nx = 1  \n\n```\n');
  expect(code?.contentHash).toBe(createHash('sha256').update('x = 1').digest('hex'));
});

test('equal artifacts share a hash and have ordinals from 0; each content and kind has its own ordinals', () => {
  const artifacts = extractArtifacts(
    '[a](https://e.org) [b](https://e.org/) [c](https://e.org/x)\n\n```\nsame\n```\n\n```js\nsame \n```\n\n' +
      '| a |\n| - |\n| 1 |\n\n| a   |\n|:---|\n| 1 |\n',
  );
  expect(artifacts.map(({ kind, ordinal }) => [kind, ordinal])).toEqual([
    ['link', 0],
    ['link', 1],
    ['link', 0],
    ['code', 0],
    ['code', 1],
    ['table', 0],
    ['table', 1],
  ]);
  expect(new Set(artifacts.map(({ contentHash }) => contentHash)).size).toBe(4);
});

test('text inserted before an artifact does not change its identity', () => {
  const identity = (text: string) =>
    extractArtifacts(text).map(({ kind, contentHash, ordinal }) => ({ kind, contentHash, ordinal }));
  expect(identity(`New introduction.\n\n${markdown}`)).toEqual(identity(markdown));
});

test('5,000 artifacts are extracted, 5,001 end as extraction_limit', () => {
  const links = (count: number) => '[a](https://e.org/)\n\n'.repeat(count);
  expect(extractArtifacts(links(5000))).toHaveLength(5000);
  expect(() => extractArtifacts(links(5001))).toThrow(expect.objectContaining({ code: 'extraction_limit' }));
});

test('empty code and plain text have no artifacts', () => {
  expect(extractArtifacts('```\n\n```\n\nJust text.\n')).toEqual([]);
});

test('a table of 100,000 cells is one artifact with all rows', () => {
  const rows = Array.from({ length: 25_000 }, (_, at) => `| ${at} | some | ${at * 2} | text |`);
  const table = ['| n | word | twice | more |', '| --- | --- | --- | --- |', ...rows].join('\n');
  const [found, ...others] = extractArtifacts(`# Numbers\n\n${table}\n\nafter\n`);
  expect(others).toEqual([]);
  expect(found?.content).toBe(table);
  expect(found?.metadata).toMatchObject({ rows: 25_000, columns: ['n', 'word', 'twice', 'more'] });
});
