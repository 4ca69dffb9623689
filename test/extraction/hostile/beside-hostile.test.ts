/** Hostile documents of one owner occupy at most one of two children for long, so those of another owner are read. */
import { createExtractionPool, type ExtractionPool } from '../../../extraction/pool/pool.ts';
import { contentOf } from '../content.ts';
import { makePdf } from '../pdf-fixture.ts';
import { endless } from '../pool/pool-work.ts';
import { corpus } from './corpus.ts';

const good = Array.from({ length: 20 }, (_, at) =>
  at % 4 === 0
    ? contentOf(makePdf([['# Boiling', 'Water boils at one hundred degrees at sea level.']]), { filename: 'a.pdf' })
    : contentOf('<title>Boiling</title><p>Water boils at one hundred degrees.</p>', { filename: 'a.html' }),
);

let pool: ExtractionPool;
let attack: AbortController;
beforeEach(() => {
  attack = new AbortController();
});
afterEach(async () => {
  attack.abort();
  await pool.close();
});

test.each(['a PDF page of 90 MB of operators', 'endless'])(
  'twenty good documents are read while %s occupies a child',
  async (name) => {
    // Limits so large that neither ends the hostile document.
    pool = createExtractionPool({ processes: 2, timeoutMs: 120_000, memoryMb: 8_192 });
    const options = { owner: 'hostile', signal: attack.signal };
    const hostile = corpus.find((one) => one.name === name)?.make();
    const running =
      hostile === undefined ? pool.run('readJoined', endless, options) : pool.run('read', hostile, options);
    let ended = false;
    running.then(
      () => {
        ended = true;
      },
      () => {
        ended = true;
      },
    );
    for (const content of good) await pool.run('read', content, { owner: 'good' });
    expect(ended).toBe(false);
  },
);

test('a document waits for at most two hostile ones, however many their owner has queued', async () => {
  pool = createExtractionPool({ processes: 2, timeoutMs: 1_000, memoryMb: 4_096 });
  let ended = 0;
  for (let at = 0; at < 12; at += 1) {
    pool.run('readJoined', endless, { owner: 'hostile', signal: attack.signal }).catch(() => {
      ended += 1;
    });
  }
  await pool.run('read', contentOf('# Fine\n\nAll is well.\n'), { owner: 'good' });
  expect(ended).toBeLessThanOrEqual(2);
});
