/** Work that is done again and again by one process at a time, whichever holds the lease. */
import { randomUUID } from 'node:crypto';
import { acquireLease, releaseLease } from '../../db/lease.ts';
import type { DispatcherDependencies } from './dependencies.ts';

export interface LeasedLoop {
  /** Breaks the present round off and gives the lease back. */
  stop(): Promise<void>;
}

/** Does `work` every `periodSeconds`, the first time after `firstSeconds`. Any number of processes may ask for it. */
export function startLeasedLoop(
  { database, logger }: Pick<DispatcherDependencies, 'database' | 'logger'>,
  loop: { name: string; periodSeconds: number; firstSeconds?: number },
  work: (signal: AbortSignal) => Promise<void>,
): LeasedLoop {
  const { name, periodSeconds, firstSeconds = periodSeconds } = loop;
  const holder = randomUUID();
  const stopping = new AbortController();
  let underWay: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function round(): Promise<void> {
    try {
      // Longer than two rounds, so that a holder that died is replaced soon and a living one stays.
      if (!(await acquireLease(database.pool, name, holder, periodSeconds * 2.5))) return;
      await work(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn({ event: `${name}.sweep_failed`, err: error });
    }
  }

  function schedule(seconds: number): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      underWay = round().finally(() => schedule(periodSeconds));
    }, seconds * 1_000);
  }
  schedule(firstSeconds);

  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
      await releaseLease(database.pool, name, holder).catch(() => undefined);
    },
  };
}
