/** Reads the hostile corpus through the pool: each document ends as expected, within its CPU time and memory limits. */
import { readFileSync } from 'node:fs';
import { SourceError } from '../../../contract/errors.ts';
import { createExtractionPool } from '../../../extraction/pool/pool.ts';
import { cpuTicks, fine } from '../pool/pool-work.ts';
import { mislabelled } from './broken.ts';
import type { HostileCase } from './case.ts';
import { corpus } from './corpus.ts';

/** Limit on the CPU time of one document. */
const MAX_PROCESSOR_MS = 15_000;
const memoryMb = 768;
/** The pool checks the resident memory every 25 ms, and less often on a busy machine. */
const memorySlackMb = 256;

// The wall-clock timeout is large, so that a busy machine does not fail the test.
const pool = createExtractionPool({ processes: 1, timeoutMs: 180_000, memoryMb });
afterAll(() => pool.close());

interface Usage {
  peakMb: number;
  processorMs: number;
}

/** Peak memory and CPU time of a process so far; 0 for an exited one. */
function usageOf(pid: number): Usage {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // A clock tick is 10 ms.
    return { peakMb: Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024, processorMs: cpuTicks(pid) * 10 };
  } catch {
    return { peakMb: 0, processorMs: 0 };
  }
}

interface Outcome extends Usage {
  end: string;
  format?: string;
  markdown: string;
}

async function outcomeOf({ make }: HostileCase): Promise<Outcome> {
  const content = make();
  // Waits for the replacement of a child that was killed for the previous case.
  await pool.run('convert', fine);
  const before = new Map(pool.pids().map((pid) => [pid, usageOf(pid).processorMs]));
  const usage: Usage = { peakMb: 0, processorMs: 0 };
  const measure = () => {
    for (const pid of pool.pids()) {
      const { peakMb, processorMs } = usageOf(pid);
      usage.peakMb = Math.max(usage.peakMb, peakMb);
      usage.processorMs = Math.max(usage.processorMs, processorMs - (before.get(pid) ?? 0));
    }
  };
  const watch = setInterval(measure, 20);
  try {
    const { markdown, context } = await pool.run('read', content);
    measure();
    return { end: 'read', format: context.format, markdown, ...usage };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { end: error.code, markdown: '', ...usage };
  } finally {
    clearInterval(watch);
  }
}

test.each(corpus.map((hostile) => [hostile.name, hostile] as const))(
  '%s ends as expected, within its limits',
  async (_, hostile) => {
    const { end, markdown, processorMs, peakMb } = await outcomeOf(hostile);
    expect(hostile.ends).toContain(end);
    if (hostile.absent !== undefined) expect(markdown).not.toContain(hostile.absent);
    expect(processorMs).toBeLessThan(MAX_PROCESSOR_MS);
    expect(peakMb).toBeLessThan(memoryMb + memorySlackMb);
  },
  200_000,
);

test('mislabelled samples are read by their content or end in an error code', async () => {
  const wrong: string[] = [];
  for (const hostile of mislabelled) {
    const { end, format } = await outcomeOf(hostile);
    const isRight = hostile.ends.some((expected) => expected === end);
    if (!isRight || (hostile.readAs ?? format) !== format) wrong.push(`${hostile.name}: ${end} ${format ?? ''}`);
  }
  expect(wrong).toEqual([]);
}, 300_000);
