/** The hostile corpus through the pool: each ends in its code, within its time and its memory. */
import { readFileSync } from 'node:fs';
import { SourceError } from '../../../contract/errors.ts';
import { createExtractionPool } from '../../../extraction/pool/pool.ts';
import { fine } from '../pool/pool-work.ts';
import { mislabelled } from './broken.ts';
import type { HostileCase } from './case.ts';
import { corpus } from './corpus.ts';

const timeoutMs = 15_000;
const memoryMb = 768;
/** The watch looks every 25 ms, and what a busy machine lets it miss. */
const memorySlackMb = 256;

const pool = createExtractionPool({ processes: 1, timeoutMs, memoryMb });
afterAll(() => pool.close());

function residentMb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function outcomeOf({
  make,
}: HostileCase): Promise<{ end: string; format?: string; markdown: string; ms: number; peakMb: number }> {
  const content = make();
  // A child that was killed for the case before is replaced first.
  await pool.run('convert', fine);
  let peakMb = 0;
  const watch = setInterval(() => {
    for (const pid of pool.pids()) peakMb = Math.max(peakMb, residentMb(pid));
  }, 20);
  const begun = performance.now();
  try {
    const { markdown, context } = await pool.run('read', content);
    return { end: 'read', format: context.format, markdown, ms: performance.now() - begun, peakMb };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { end: error.code, markdown: '', ms: performance.now() - begun, peakMb };
  } finally {
    clearInterval(watch);
  }
}

test.each(corpus.map((hostile) => [hostile.name, hostile] as const))(
  '%s ends in its code, within its limits',
  async (_, hostile) => {
    const { end, markdown, ms, peakMb } = await outcomeOf(hostile);
    expect(hostile.ends).toContain(end);
    if (hostile.absent !== undefined) expect(markdown).not.toContain(hostile.absent);
    expect(ms).toBeLessThan(timeoutMs + 5_000);
    expect(peakMb).toBeLessThan(memoryMb + memorySlackMb);
  },
);

test('samples under other names end as what they are, or in a code', async () => {
  const wrong: string[] = [];
  for (const hostile of mislabelled) {
    const { end, format } = await outcomeOf(hostile);
    const isRight = hostile.ends.some((expected) => expected === end);
    if (!isRight || (hostile.readAs ?? format) !== format) wrong.push(`${hostile.name}: ${end} ${format ?? ''}`);
  }
  expect(wrong).toEqual([]);
}, 300_000);
