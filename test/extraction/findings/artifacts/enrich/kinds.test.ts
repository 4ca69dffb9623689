import type { artifactKinds } from '../../../../../contract/extraction.ts';
import { enrichArtifact } from '../../../../../extraction/findings/artifacts/enrich/enrich-artifact.ts';
import { pageTitle } from '../../../../../extraction/findings/artifacts/enrich/page-title.ts';

function enrich(kind: (typeof artifactKinds)[number], content: string, rest: object = {}) {
  return enrichArtifact({ kind, content, title: '', language: null, metadata: {}, ...rest });
}

describe('a task', () => {
  test.each([
    ['- [x] Write the docs @anna due 2026-03-01', { done: true, owner: 'anna', dueDate: '2026-03-01' }],
    ['[ ] Call back', { done: false, owner: null, dueDate: null }],
    ['Ask (@ben.k_1), until 2026-12-24.', { done: null, owner: 'ben.k_1', dueDate: '2026-12-24' }],
    ['Mail anna@example.com about @types/node', { done: null, owner: null, dueDate: null }],
    ['Move it from 2026-01-01 to 2026-02-01', { done: null, owner: null, dueDate: null }],
    ['From 2026-01-01, due: 2026-02-01', { done: null, owner: null, dueDate: '2026-02-01' }],
    ['due 2026-02-30', { done: null, owner: null, dueDate: null }],
    ['Version 12026-01-011', { done: null, owner: null, dueDate: null }],
  ])('%s', (content, facts) => {
    expect(enrich('task', content)).toEqual(facts);
  });

  test('the metadata may say whether it is done', () => {
    expect(enrich('task', 'Write', { metadata: { checked: true } })).toMatchObject({ done: true });
  });
});

describe('a command', () => {
  test.each([
    ['npm run build -- --watch', 'npm', ['run', 'build', '--', '--watch']],
    ['$ git commit -m "It is \\"done\\"" --author=\'A B\'', 'git', ['commit', '-m', 'It is "done"', '--author=A B']],
    ['me@host:~/src$ ls -la', 'ls', ['-la']],
    ['NODE_ENV=test A=1 node x.ts', 'node', ['x.ts']],
    ['docker run \\\n  -it image', 'docker', ['run', '-it', 'image']],
    ['run >out.txt 2>&1', 'run', ['>out.txt', '2>&1']],
    ['echo "" # nothing', 'echo', ['']],
    ['', null, []],
    ['A=1', null, []],
    ['echo "open', 'echo', ['open']],
  ])('%j', (content, program, args) => {
    expect(enrich('command', content)).toMatchObject({ program, arguments: args });
  });

  test('every line is a command', () => {
    expect(enrich('command', '$ cd src && npm ci | tee log; ls\n$ pwd &').commands).toEqual([
      { program: 'cd', arguments: ['src'] },
      { program: 'npm', arguments: ['ci'] },
      { program: 'tee', arguments: ['log'] },
      { program: 'ls', arguments: [] },
      { program: 'pwd', arguments: [] },
    ]);
  });
});

describe('an image', () => {
  test.each([
    ['https://example.com/a/b.JPG?x=1.png', 'A cat', { format: 'jpeg', altText: 'A cat' }],
    ['![A \\] dog](<https://example.com/d o g.webp> "t")', '', { format: 'webp', altText: 'A ] dog' }],
    ['https://example.com/image', 'https://example.com/image', { format: null, altText: null }],
    ['pics/local.svg', '', { format: 'svg', altText: null }],
    ['data:image/png;base64,AAAA', '', { format: 'png', altText: null }],
  ])('%s', (content, title, facts) => {
    expect(enrich('image', content, { title })).toEqual(facts);
  });
});

test.each(['diagram', 'formula', 'decision', 'question', 'requirement'] as const)('a %s has counts only', (kind) => {
  expect(enrich(kind, 'We take 𝐀 — 東京へ行く.')).toEqual({ words: 6, characters: 18 });
});

test('content above the limit ends as extraction_limit', () => {
  const content = 'a '.repeat(140_000);
  expect(() => enrich('question', content)).toThrow(expect.objectContaining({ code: 'extraction_limit' }));
});

describe('the title of a page', () => {
  const title = (html: string, contentType: string | null = null, encoding: BufferEncoding = 'utf8') =>
    pageTitle({ bytes: Buffer.from(html, encoding), contentType });

  test.each([
    ['<html><head><title> A &amp; B\n c </title></head></html>', 'A & B c'],
    ['<title></title><p>x', null],
    ['<p>No title</p>', null],
    ['<body><svg><title>Icon</title></svg><p>x', null],
    [`<title>${'ä'.repeat(400)}</title>`, 'ä'.repeat(300)],
  ])('%j', (html, expected) => {
    expect(title(html)).toBe(expected);
  });

  test('is read in the charset of the response', () => {
    expect(title('<title>Grüße</title>', 'text/html; charset="iso-8859-1"', 'latin1')).toBe('Grüße');
  });

  test('is correct in a page that is truncated within a character', () => {
    const bytes = Buffer.from(`<title>Grüße</title><p>${'ü'.repeat(20)}`).subarray(0, -1);
    expect(pageTitle({ bytes, contentType: 'text/html' })).toBe('Grüße');
  });

  test('is read quickly from a deeply nested page', () => {
    expect(title('<div>'.repeat(50_000))).toBeNull();
  });
});
