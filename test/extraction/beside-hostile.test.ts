/** What hostile documents cost the others: of two children they can hold one, and their end costs a start. */
import { SourceError } from '../../contract/errors.ts';
import type { Content } from '../../extraction/content.ts';
import { createExtractionPool } from '../../extraction/pool.ts';
import { contentOf } from './content.ts';
import { corpus } from './hostile/corpus.ts';
import { makePdf } from './pdf-fixture.ts';

const sentence = 'Water boils at one hundred degrees at sea level, and at fewer on a mountain. ';
const section = (at: number) => `<h2>Part ${at}</h2><p>${sentence.repeat(6)}</p><ul><li>One</li><li>Two</li></ul>`;
const page = `<!DOCTYPE html><title>Boiling</title><article>${Array.from({ length: 60 }, (_, at) => section(at)).join('')}</article>`;
const pages = Array.from({ length: 6 }, (_, at) => [`# Part ${at}`, ...Array.from({ length: 25 }, () => sentence)]);

/** Twenty documents of some tens of milliseconds each. */
const good: Content[] = Array.from({ length: 20 }, (_, at) =>
  at % 4 === 0 ? contentOf(makePdf(pages), { filename: 'a.pdf' }) : contentOf(page, { filename: 'a.html' }),
);

/** Those that work the longest, take the most memory or cost a child, made before anything is measured. */
const chosen = [
  'a PDF page of 90 MB of operators',
  'a DOCX that says 1 kB and inflates to 512 MiB',
  '100,000 levels of HTML',
  '80,000 unclosed tags',
  'a PDF of 200,000 pages',
  'a CSV of 20 million empty cells',
];

const pool = createExtractionPool({ processes: 2, timeoutMs: 5_000, memoryMb: 768 });
afterAll(() => pool.close());

async function msOfTheGood(): Promise<number> {
  const begun = performance.now();
  for (const content of good) await pool.run('read', content, { owner: 'good' });
  return performance.now() - begun;
}

/** Sends the hostile ones, one after another and again, until it is told to stop. */
async function attack(contents: readonly Content[], signal: AbortSignal): Promise<number> {
  let ended = 0;
  for (let next = 0; !signal.aborted; next += 1) {
    const content = contents[next % contents.length];
    if (content === undefined) break;
    try {
      await pool.run('read', content, { owner: 'hostile', signal });
    } catch (error) {
      if (!(error instanceof SourceError) && !signal.aborted) throw error;
    }
    if (!signal.aborted) ended += 1;
  }
  return ended;
}

test('twenty good documents beside hostile ones take at most 1.5 times as long as alone', async () => {
  const hostile = corpus.filter(({ name }) => chosen.includes(name)).map(({ make }) => make());
  await msOfTheGood();
  const alone = [await msOfTheGood(), await msOfTheGood(), await msOfTheGood()].toSorted((a, b) => a - b)[1] ?? 0;
  const controller = new AbortController();
  const attacking = attack(hostile, controller.signal);
  const beside: number[] = [];
  for (let round = 0; round < 9; round += 1) beside.push(await msOfTheGood());
  controller.abort();
  expect(await attacking).toBeGreaterThan(0);
  const median = beside.toSorted((a, b) => a - b)[4] ?? Number.POSITIVE_INFINITY;
  expect(median / alone).toBeLessThan(1.5);
});
