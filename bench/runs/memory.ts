/** Peak memory of every process of a bench. */
import { descendants, peakMiB, readProcesses, sharedMiB } from '../../test/support/processes.ts';
import type { BenchStack } from './stack.ts';

/** Interval between samples of the children. A sample reads all of /proc, some 10 ms; a child lives much longer. */
const SAMPLE_MS = 2000;

export interface MemoryRow {
  name: string;
  measure: string;
  /** In MiB, after the start and at the end of the rounds; undefined where /proc is missing. */
  started: number | undefined;
  ended: number | undefined;
}

/** Watches all processes, including short-lived children. Call `sample` between rounds, and `stop` at the end. */
export async function watchMemory({ pids }: BenchStack) {
  const named = [
    ['api, with dispatcher', pids.api],
    ['worker', pids.worker],
    ['bare worker', pids.bareWorker],
    ['temporal', pids.temporal],
    ['versitygw', pids.storage],
    ['this bench, the client', process.pid],
  ] as const;
  const single = (peaks: ReadonlyMap<number, number | undefined>, pid: number) => peaks.get(pid);
  const readPeaks = async () =>
    new Map(await Promise.all(named.map(async ([, pid]) => [pid, await peakMiB(pid)] as const)));
  /** Peak MiB by pid of every extraction child, including replaced ones. */
  const children = new Map<number, number>();
  let postgresPeak: number | undefined;

  async function sampleChildren(): Promise<void> {
    for (const pid of descendants(await readProcesses(), pids.worker)) {
      const peak = await peakMiB(pid);
      if (peak !== undefined) children.set(pid, peak);
    }
  }
  async function sample(): Promise<void> {
    await sampleChildren();
    const tree = [pids.postgres, ...descendants(await readProcesses(), pids.postgres)];
    const current = await sharedMiB(tree);
    if (current !== undefined) postgresPeak = Math.max(postgresPeak ?? 0, current);
  }
  const childrenPeak = () => (children.size === 0 ? undefined : Math.max(...children.values()));

  await sample();
  const started = await readPeaks();
  const startedChildren = childrenPeak();
  const startedPostgres = postgresPeak;
  const timer = setInterval(() => void sampleChildren(), SAMPLE_MS).unref();

  return {
    sample,
    async stop(): Promise<MemoryRow[]> {
      clearInterval(timer);
      await sample();
      const ended = await readPeaks();
      return [
        ...named.map(([name, pid]) => ({
          name,
          measure: 'VmHWM',
          started: single(started, pid),
          ended: single(ended, pid),
        })),
        {
          name: `extraction child, largest of ${children.size}`,
          measure: 'VmHWM',
          started: startedChildren,
          ended: childrenPeak(),
        },
        { name: 'postgres, all processes', measure: 'Pss', started: startedPostgres, ended: postgresPeak },
      ];
    },
  };
}
