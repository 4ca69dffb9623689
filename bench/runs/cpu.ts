/** CPU time by process. */
import { childrenCpuMs, ownCpuMs, readProcesses } from '../../test/support/processes.ts';
import type { BenchStack } from './stack.ts';

/** CPU milliseconds since the start of each process, by process name. */
export type CpuTimes = Record<string, number>;

export async function readCpu({ pids }: BenchStack): Promise<CpuTimes> {
  const table = await readProcesses();
  const own = (pid: number) => ownCpuMs(table, pid);
  return {
    'api, with dispatcher': own(pids.api),
    worker: own(pids.worker),
    'extraction children': childrenCpuMs(table, pids.worker),
    'bare worker': own(pids.bareWorker),
    postgres: own(pids.postgres) + childrenCpuMs(table, pids.postgres),
    temporal: own(pids.temporal),
    versitygw: own(pids.storage),
    'this bench, the client': own(process.pid),
  };
}

/** Adds the CPU time between two readings to `sum`. */
export function addCpu(sum: CpuTimes, before: CpuTimes, after: CpuTimes): void {
  for (const [part, ms] of Object.entries(after)) sum[part] = (sum[part] ?? 0) + ms - (before[part] ?? 0);
}
