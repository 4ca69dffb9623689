/** Asks what the database owes and nobody is doing, and sets it going again. Any number may run: one has the lease. */
import { randomUUID } from 'node:crypto';
import { acquireLease, releaseLease } from '../../db/transitions/lease.ts';
import type { DispatcherDependencies } from './dispatcher.ts';
import { reconcileArtifacts } from './owed/artifacts.ts';
import { reconcilePostbacks } from './owed/postbacks.ts';
import { reconcileSources } from './owed/sources.ts';
import { reconcileTickets } from './owed/tickets.ts';

const LEASE = 'reconciler';

export interface Reconciler {
  stop(): Promise<void>;
}

/** Starts reconciling every RECONCILER_SWEEP_SECONDS. */
export function startReconciler(deps: DispatcherDependencies): Reconciler {
  const { config, database, logger } = deps;
  const holder = randomUUID();
  const periodMs = config.RECONCILER_SWEEP_SECONDS * 1_000;
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function sweep(): Promise<void> {
    try {
      // Longer than two sweeps, so that a holder that died is replaced soon and a living one stays.
      if (!(await acquireLease(database.pool, LEASE, holder, config.RECONCILER_SWEEP_SECONDS * 2.5))) return;
      await reconcileSources(deps);
      await reconcilePostbacks(deps);
      await reconcileArtifacts(deps);
      await reconcileTickets(deps);
    } catch (error) {
      logger.warn({ event: 'reconciler.sweep_failed', err: error });
    }
  }

  function schedule(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      sweeping = sweep().finally(schedule);
    }, periodMs);
  }
  schedule();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
      await releaseLease(database.pool, LEASE, holder).catch(() => undefined);
    },
  };
}
