/** Helpers of the tests of the extraction pool. */
import { readFileSync } from 'node:fs';
import { contentOf } from '../content.ts';

export const fine = contentOf('# Fine\n\nAll is well.\n');
/** Takes far longer than any test: 18 MB of loose list items. */
export const endless = '- a b c\n\n'.repeat(2_000_000);

export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** CPU time of a process in clock ticks (proc(5): utime and stime are fields 14 and 15). */
export function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return Number(fields[13]) + Number(fields[14]);
}

/** Waits until a child has begun a task: its CPU time has grown well beyond that of its start. */
export async function untilBusy(pid: number): Promise<void> {
  const before = cpuTicks(pid);
  await until(() => cpuTicks(pid) > before + 20);
}
