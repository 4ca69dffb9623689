/** Periodic work that one process at a time does: the holder of the lease. */
import { randomUUID } from 'node:crypto';
import { acquireLease, releaseLease } from '../../db/lease.ts';
import type { DispatcherDependencies } from './dependencies.ts';

export interface LeasedLoop {
  /** Aborts the current round and releases the lease. */
  stop(): Promise<void>;
}

/** Runs `work` every `periodSeconds`, first after `firstSeconds`. Any number of processes may start the same loop. */
export function startLeasedLoop(
  { database, logger }: Pick<DispatcherDependencies, 'database' | 'logger'>,
  loop: { name: string; periodSeconds: number; firstSeconds?: number },
  work: (signal: AbortSignal) => Promise<void>,
): LeasedLoop {
  const { name, periodSeconds, firstSeconds = periodSeconds } = loop;
  const holder = randomUUID();
  const stopping = new AbortController();
  let currentRound: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function round(): Promise<void> {
    try {
      // Longer than two periods: a live holder keeps the lease, a dead one is replaced within two and a half.
      if (!(await acquireLease(database.pool, name, holder, periodSeconds * 2.5))) return;
      await work(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn({ event: `${name}.sweep_failed`, err: error });
    }
  }

  function schedule(seconds: number): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      currentRound = round().finally(() => schedule(periodSeconds));
    }, seconds * 1_000);
  }
  schedule(firstSeconds);

  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await currentRound;
      await releaseLease(database.pool, name, holder).catch(() => undefined);
    },
  };
}
