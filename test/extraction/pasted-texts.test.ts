/** Any pasted text ends in a result or in a documented error code, never as `internal`. */
import fc from 'fast-check';
import { SourceError } from '../../contract/errors.ts';
import { defaultLimits } from '../../extraction/limits.ts';
import { errorOf, failureOf } from '../../extraction/pool/messages.ts';
import { createTasks } from '../../extraction/pool/tasks.ts';
import { contentOf } from './content.ts';

const tasks = createTasks(defaultLimits);

/** Extracts and enriches everything from a pasted text. @throws SourceError `internal` with its cause. */
async function processAll(text: string): Promise<void> {
  const content = contentOf(text, { pasted: true });
  await orCode(async () => {
    const { context } = await tasks.read(content);
    expect(context.statistics.sentences).toBeLessThanOrEqual(text.length);
  });
  await orCode(async () => {
    for (const artifact of await tasks.readArtifacts(content)) await orCode(() => tasks.enrich(artifact));
  });
}

async function orCode(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // Maps errors as the pool does: a stack overflow is a limit, any unexpected error is `internal`.
    const mapped = error instanceof SourceError ? error : errorOf(failureOf(error));
    if (mapped.code === 'internal') throw mapped;
  }
}

test.each([
  '"Yes."... Then he left.',
  'He took the "handle."... There was no door.',
  '“Really?”... ‘No.’... (Well.)... [So.]...',
  '<|endoftext|>'.repeat(3),
])('%j is read', async (text) => {
  await processAll(text);
  expect((await tasks.read(contentOf(text, { pasted: true }))).context.statistics.words).toBeGreaterThan(0);
});

const marks = [
  ...['"', "'", '”', '“', '„', '«', '»', '‘', '’', '.', '..', '...', '…', '!', '?', '。', ' ', '\n', '\n\n', '\t'],
  ...['(', ')', '[', ']', '{', '}', '<', '>', '`', '```', '|', '*', '_', '#', '\\', '$$', '/', '&', '&#xD800;', '%E0'],
  ...['\u0085', '\u2028', '\u200d', '\u0301', '\ufeff', '\0', '\u0007', 'Yes', 'handle', 'There', 'Dr', '3.14', 'é'],
  ...['日本', 'อ', '😀', 'İ', 'ſ', 'http://', 'www.', '@', '<|endoftext|>', '<!--', '<?xml ', 'User:', '---\n', '- '],
];
/** Words in quotes and brackets, with sentence ends within and after them. */
const phrase = fc
  .tuple(
    fc.constantFrom('', '"', '“', '‘', "'", '(', '['),
    fc.constantFrom('Yes', 'there', 'Dr', '1', 'é'),
    fc.constantFrom('', '.', '?', '...', '…'),
    fc.constantFrom('', '"', '”', '’', "'", ')', ']'),
    fc.constantFrom('', '.', '...', '?!', ','),
    fc.constantFrom('', ' ', '  ', '\n'),
  )
  .map((parts) => parts.join(''));
const textOf = (...pieces: fc.Arbitrary<string>[]) =>
  fc.array(fc.oneof(...pieces), { minLength: 1, maxLength: 60 }).map((all) => all.join('').toWellFormed());
const text = fc.oneof(
  textOf(phrase),
  textOf(fc.constantFrom(...marks), fc.constantFrom(...marks), fc.string({ unit: 'binary', maxLength: 6 })),
);

test('any sequence of quotes, dots, brackets and other characters is processed', async () => {
  let processed = 0;
  await fc.assert(
    fc.asyncProperty(text, async (pasted) => {
      await processAll(pasted);
      processed += 1;
    }),
    { numRuns: 3_000 },
  );
  expect(processed).toBe(3_000);
});
