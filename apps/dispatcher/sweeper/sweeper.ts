/** Removes expired rows, executions and objects, one kind after the other. Any number may run: one has the lease. */
import { GarbageCollectionPausedError } from '../../../db/bucket-ownership.ts';
import type { DispatcherDependencies } from '../dependencies.ts';
import { type LeasedLoop, startLeasedLoop } from '../leased-loop.ts';
import { exposePause, unlessPaused } from './gc-pause.ts';
import { sweepExecutions } from './sweep-executions.ts';
import { sweepObjects } from './sweep-objects.ts';
import { sweepGenerations, sweepHostFetches, sweepIdempotencyKeys, sweepUploads } from './sweep-rows.ts';
import { sweepTickets } from './sweep-tickets.ts';

/** Delay of the first sweep: a service that is deployed every hour would never sweep otherwise. */
const FIRST_SECONDS = 60;

type Sweep = (deps: DispatcherDependencies, signal: AbortSignal) => Promise<number>;

const sweeps: [kind: string, sweep: Sweep][] = [
  ['uploads', sweepUploads],
  ['idempotency_keys', sweepIdempotencyKeys],
  ['host_fetches', sweepHostFetches],
  ['tickets', sweepTickets],
  ['executions', sweepExecutions],
  ['generations', sweepGenerations],
  ['objects', sweepObjects],
];

/** Starts sweeping every SWEEP_SECONDS. */
export function startSweeper(deps: DispatcherDependencies): LeasedLoop {
  const { config, logger, metrics } = deps;
  const periodSeconds = config.SWEEP_SECONDS;
  const firstSeconds = Math.min(FIRST_SECONDS, periodSeconds);
  exposePause(deps);
  return startLeasedLoop(deps, { name: 'sweeper', periodSeconds, firstSeconds }, (signal) =>
    unlessPaused(deps, async () => {
      for (const [kind, sweep] of sweeps) {
        if (signal.aborted) return;
        try {
          const removed = await sweep(deps, signal);
          metrics.swept.inc({ kind }, removed);
          if (removed > 0) logger.info({ event: 'sweep.removed', kind, removed });
        } catch (error) {
          if (error instanceof GarbageCollectionPausedError) throw error;
          if (!signal.aborted) logger.warn({ event: 'sweep.failed', kind, err: error });
        }
      }
    }),
  );
}
