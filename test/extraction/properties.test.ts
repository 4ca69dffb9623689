/** Properties of any content: extraction ends in a result or an error code, deterministically, with exact positions. */
import fc from 'fast-check';
import { isSourceErrorCode, SourceError } from '../../contract/errors.ts';
import type { ExtractedContext } from '../../contract/extraction.ts';
import type { Content } from '../../extraction/content.ts';
import { createExtractionPool } from '../../extraction/pool/pool.ts';
import { formats } from '../../extraction/readers/formats/index.ts';
import { sampleFormats, samplesOf } from '../support/samples.ts';

// In a pool, so that a parser that crashes on a mutated sample does not crash the test.
const pool = createExtractionPool({ processes: 1, timeoutMs: 30_000, memoryMb: 768 });
afterAll(() => pool.close());

type Outcome = { code: string } | { markdown: string; context: ExtractedContext };

/** Reads content and returns the result or error code. @throws on `internal`, which is a bug. */
async function outcomeOf(content: Content): Promise<Outcome> {
  try {
    return await pool.run('read', content);
  } catch (error) {
    if (!(error instanceof SourceError) || error.code === 'internal') throw error;
    expect(isSourceErrorCode(error.code)).toBe(true);
    return { code: error.code };
  }
}

/** Asserts that positions are within the text, in order, and point at the right text. */
function assertExact(outcome: Outcome): void {
  if ('code' in outcome) return;
  const { markdown, context } = outcome;
  const at = ({ start, end }: { start: number; end: number }) => markdown.slice(start, end);
  let before = 0;
  for (const { text, position } of context.chunks) {
    expect(at(position)).toBe(text);
    expect(position.start).toBeGreaterThanOrEqual(before);
    before = position.end;
  }
  for (const { title, position } of context.outline) {
    const [word = ''] = title.split(/[^\p{L}\p{N}]+/u).filter((piece) => piece !== '');
    expect(at(position)).toContain(word);
  }
  for (const { speaker, position } of context.turns) {
    expect(at(position).split('\n', 1)[0]?.replaceAll('\\', '')).toContain(speaker.replaceAll('\\', ''));
  }
  let last = 0;
  for (const { position } of context.parts) {
    expect(position.start).toBeGreaterThanOrEqual(last);
    expect(position.end).toBeGreaterThanOrEqual(position.start);
    expect(position.end).toBeLessThanOrEqual(markdown.length);
    last = position.start;
  }
}

const extensions = formats.flatMap((format) => [...format.extensions]);
const mediaTypes = formats.flatMap((format) => [...format.mediaTypes]);
const known = fc.record({
  filename: fc.option(
    fc.oneof(
      fc.constantFrom(...extensions).map((extension) => `a.${extension}`),
      fc.string(),
    ),
  ),
  contentType: fc.option(fc.oneof(fc.constantFrom(...mediaTypes), fc.string())),
  url: fc.option(fc.oneof(fc.webUrl(), fc.string())),
});
/** Random bytes, random texts, and texts of format syntax. */
const mark = fc.constantFrom(
  ...[
    '\n',
    '\n\n',
    ' ',
    '\t',
    '# ',
    '- ',
    '1. ',
    '> ',
    '```',
    '|',
    '---',
    '*',
    '_',
    '[a](b)',
    '<p>',
    '</p>',
    '<table><tr><td>',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"a":',
    ',',
    ';',
    'a,b\n1,2\n',
    'User: ',
    'Assistant: ',
    '<?xml version="1.0"?>',
    '<a>',
    '</a>',
    '<rss>',
  ],
  ...[
    '<item>',
    '{\\rtf1 ',
    '\\par ',
    '\\u',
    'From: a@b.example\n',
    'Subject: x\n',
    'Content-Type: multipart/mixed; boundary=b\n',
  ],
  ...[
    '--b\n',
    'WEBVTT\n\n',
    '00:00:01.000 --> 00:00:02.000\n',
    '%PDF-1.4\n',
    'PK\u0003\u0004',
    '&amp;',
    '&#0;',
    '\0',
    '\ufeff',
    '\u0007',
  ],
);
const data = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }),
  fc.string({ unit: 'binary', maxLength: 500 }).map((text) => new TextEncoder().encode(text)),
  fc
    .array(fc.oneof(mark, fc.string({ maxLength: 8 })), { maxLength: 60 })
    .map((pieces) => new TextEncoder().encode(pieces.join(''))),
);

test('any bytes with any name, type and URL end in the same result or error code twice, with exact positions', async () => {
  await fc.assert(
    fc.asyncProperty(data, known, async (bytes, metadata) => {
      const content = { bytes, ...metadata };
      const first = await outcomeOf(content);
      assertExact(first);
      const again = await outcomeOf(content);
      expect('code' in again ? again.code : again.markdown).toBe('code' in first ? first.code : first.markdown);
    }),
    { numRuns: 400 },
  );
}, 300_000);

const samples = (await Promise.all((await sampleFormats()).map(samplesOf))).flat();

test.each(samples.map((sample) => [`${sample.format}/${sample.filename}`, sample] as const))(
  '%s is read the same twice, with exact positions',
  async (_, { bytes, filename }) => {
    const content = { bytes, filename, contentType: null, url: null };
    const first = await outcomeOf(content);
    assertExact(first);
    const again = await outcomeOf(content);
    expect('code' in again ? again.code : again.markdown).toBe('code' in first ? first.code : first.markdown);
  },
);

/** A sample with replaced bytes, possibly truncated. */
const mutation = fc.record({
  sample: fc.constantFrom(...samples),
  changes: fc.array(fc.record({ place: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) }), {
    maxLength: 12,
  }),
  keep: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

test('corrupted and truncated samples end in a result with exact positions or in an error code', async () => {
  await fc.assert(
    fc.asyncProperty(mutation, async ({ sample, changes, keep }) => {
      const bytes = sample.bytes.slice(0, Math.ceil(sample.bytes.length * keep));
      for (const { place, byte } of changes) bytes[Math.floor(place * (bytes.length - 1))] = byte;
      assertExact(await outcomeOf({ bytes, filename: sample.filename, contentType: null, url: null }));
    }),
    { numRuns: 200 },
  );
}, 300_000);
