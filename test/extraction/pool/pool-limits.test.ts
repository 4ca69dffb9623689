/** Time and memory limits of a document, and the latency of a cancel. */
import { deflateSync } from 'node:zlib';
import { createExtractionPool, type ExtractionPool } from '../../../extraction/pool/pool.ts';
import { contentOf } from '../content.ts';
import { pdfOfStreams, pdfStream } from '../pdf-fixture.ts';
import { endless, failureOf, fine, isAlive, until, untilBusy } from './pool-work.ts';

let pool: ExtractionPool;
afterEach(() => pool.close());

test('a task that runs too long ends as extraction_timeout and the next one works', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 400, memoryMb: 4096 });
  expect(await failureOf(pool.run('readJoined', endless))).toMatchObject({ code: 'extraction_timeout' });
  expect(await pool.run('convert', fine)).toMatchObject({ format: 'markdown' });
});

test('a PDF bomb is stopped at the memory limit', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 20_000, memoryMb: 512 });
  const line = 'BT /F1 11 Tf 72 700 Td (Hello world) Tj ET\n';
  const bomb = pdfOfStreams([pdfStream(deflateSync(Buffer.from(line.repeat(2_000_000))), '/Filter /FlateDecode')]);
  expect(bomb.length).toBeLessThan(1_000_000);
  expect(await failureOf(pool.run('read', contentOf(bomb)))).toMatchObject({ code: 'extraction_memory' });
  expect(await pool.run('convert', fine)).toMatchObject({ format: 'markdown' });
});

test('a full JavaScript heap is extraction_memory', async () => {
  // The heap limit of 0.6 (300 MiB) plus 150 MiB is below the resident limit, so V8 itself runs out of memory.
  pool = createExtractionPool({ processes: 1, timeoutMs: 25_000, memoryMb: 500 });
  expect(await failureOf(pool.run('readJoined', endless))).toMatchObject({ code: 'extraction_memory' });
});

test('aborting a running task kills its child immediately and rejects with the reason', async () => {
  pool = createExtractionPool({ processes: 1, timeoutMs: 60_000, memoryMb: 4096 });
  await pool.run('convert', fine);
  const [pid = 0] = pool.pids();
  const controller = new AbortController();
  const running = failureOf(pool.run('readJoined', endless, { signal: controller.signal }));
  await untilBusy(pid);
  const reason = new Error('canceled');
  const begun = performance.now();
  controller.abort(reason);
  expect(await running).toBe(reason);
  await until(() => !isAlive(pid));
  expect(performance.now() - begun).toBeLessThan(1000);
  expect(await pool.run('convert', fine)).toMatchObject({ format: 'markdown' });
});
