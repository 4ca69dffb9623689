/** What hostile documents cost the others: of two children they can hold one, and their end costs a start. */
import type { Content } from '../../../extraction/content.ts';
import { createExtractionPool } from '../../../extraction/pool/pool.ts';
import { contentOf } from '../content.ts';
import { makePdf } from '../pdf-fixture.ts';
import { fine } from '../pool/pool-work.ts';
import { corpus } from './corpus.ts';

const sentence = 'Water boils at one hundred degrees at sea level, and at fewer on a mountain. ';
const section = (at: number) => `<h2>Part ${at}</h2><p>${sentence.repeat(6)}</p><ul><li>One</li><li>Two</li></ul>`;
const page = `<!DOCTYPE html><title>Boiling</title><article>${Array.from({ length: 80 }, (_, at) => section(at)).join('')}</article>`;
const pages = Array.from({ length: 12 }, (_, at) => [`# Part ${at}`, ...Array.from({ length: 25 }, () => sentence)]);

/** Twenty documents of some 100 ms each: articles and reports. */
const good: Content[] = Array.from({ length: 20 }, (_, at) =>
  at % 4 === 0 ? contentOf(makePdf(pages), { filename: 'a.pdf' }) : contentOf(page, { filename: 'a.html' }),
);

/** One that keeps a native parser at work and then costs a child by its memory. */
const chosen = ['a PDF page of 90 MB of operators'];

const pool = createExtractionPool({ processes: 2, timeoutMs: 5_000, memoryMb: 768 });
afterAll(() => pool.close());

async function msOfTheGood(): Promise<number> {
  const begun = performance.now();
  for (const content of good) await pool.run('read', content, { owner: 'good' });
  return performance.now() - begun;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test.each(corpus.filter(({ name }) => chosen.includes(name)).map((hostile) => [hostile.name, hostile] as const))(
  'twenty good documents beside %s take at most 1.5 times as long as alone',
  async (_, { make }) => {
    const hostile = make();
    const ratios: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      // A child reads its first documents at half speed: those that measure are read by a warm one on both sides.
      await Promise.all([msOfTheGood(), msOfTheGood()]);
      const alone = await msOfTheGood();
      // Whatever it ends in, it is one of its own; hostile.test.ts says which.
      const attack = pool.run('read', hostile, { owner: 'hostile' }).catch((error: unknown) => error);
      ratios.push((await msOfTheGood()) / alone);
      await attack;
      // Both children are up again before the next round.
      await Promise.all([pool.run('convert', fine), pool.run('convert', fine)]);
    }
    expect(median(ratios)).toBeLessThan(1.5);
  },
);
