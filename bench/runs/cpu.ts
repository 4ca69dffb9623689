/** CPU time by process. */
import {
  childrenCpuMs,
  descendants,
  ownCpuMs,
  type ProcessTable,
  readProcesses,
} from '../../test/support/processes.ts';
import type { BenchStack } from './stack.ts';

/** CPU milliseconds since the start of each process, by process name. */
export type CpuTimes = Record<string, number>;

/** Last CPU milliseconds of each extraction child by pid. The kernel adds those of a killed one to no other process. */
const children = new WeakMap<BenchStack, Map<number, number>>();

function childrenMs(stack: BenchStack, table: ProcessTable): number {
  const known = children.get(stack) ?? new Map<number, number>();
  children.set(stack, known);
  for (const pid of descendants(table, stack.pids.worker)) known.set(pid, ownCpuMs(table, pid));
  return [...known.values()].reduce((sum, ms) => sum + ms, 0);
}

/** A child that is replaced during a burst counts up to the reading before. */
export async function readCpu(stack: BenchStack): Promise<CpuTimes> {
  const { pids } = stack;
  const table = await readProcesses();
  const own = (pid: number) => ownCpuMs(table, pid);
  return {
    'api, with dispatcher': own(pids.api),
    worker: own(pids.worker),
    'extraction children': childrenMs(stack, table),
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
