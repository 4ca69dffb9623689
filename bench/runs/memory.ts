/** The peak memory of every process of a bench. */
import { descendants, peakMiB, readProcesses, sharedMiB } from '../../test/support/processes.ts';
import type { BenchStack } from './stack.ts';

/** A look reads the whole of /proc, some 10 ms; a child lives far longer than two of them. */
const WATCH_MS = 2000;

export interface MemoryRow {
  name: string;
  measure: string;
  /** In MiB, after the start and at the end of the rounds; undefined where the system does not tell. */
  started: number | undefined;
  ended: number | undefined;
}

/** Watches what comes and goes; call `look` between rounds, and `stop` at the end. */
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
  /** The highest peak of each extraction child, also of those that were replaced. */
  const children = new Map<number, number>();
  let postgresMost: number | undefined;

  async function lookAtChildren(): Promise<void> {
    for (const pid of descendants(await readProcesses(), pids.worker)) {
      const peak = await peakMiB(pid);
      if (peak !== undefined) children.set(pid, peak);
    }
  }
  async function look(): Promise<void> {
    await lookAtChildren();
    const tree = [pids.postgres, ...descendants(await readProcesses(), pids.postgres)];
    const taken = await sharedMiB(tree);
    if (taken !== undefined) postgresMost = Math.max(postgresMost ?? 0, taken);
  }
  const childrenMost = () => (children.size === 0 ? undefined : Math.max(...children.values()));

  await look();
  const started = await readPeaks();
  const startedChildren = childrenMost();
  const startedPostgres = postgresMost;
  const timer = setInterval(() => void lookAtChildren(), WATCH_MS).unref();

  return {
    look,
    async stop(): Promise<MemoryRow[]> {
      clearInterval(timer);
      await look();
      const ended = await readPeaks();
      return [
        ...named.map(([name, pid]) => ({
          name,
          measure: 'VmHWM',
          started: single(started, pid),
          ended: single(ended, pid),
        })),
        {
          name: `extraction child, the largest of ${children.size}`,
          measure: 'VmHWM',
          started: startedChildren,
          ended: childrenMost(),
        },
        { name: 'postgres, all processes', measure: 'Pss', started: startedPostgres, ended: postgresMost },
      ];
    },
  };
}
