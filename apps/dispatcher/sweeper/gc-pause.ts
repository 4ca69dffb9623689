/** What operators hear while sweeps and purges wait for them. */
import { Gauge } from 'prom-client';
import { compareMarker, GarbageCollectionPausedError, renewMarker } from '../../../db/bucket-ownership.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const WARN_EVERY_MS = 60_000;
const LOOK_TIMEOUT_MS = 2_000;

let warnedAt = Number.NEGATIVE_INFINITY;

/** Does `work`, unless sweeps and purges are held: then it warns, at most once a minute, and does nothing. */
export async function unlessPaused(deps: DispatcherDependencies, work: () => Promise<void>): Promise<void> {
  try {
    await renewMarker(deps);
    await work();
  } catch (error) {
    if (!(error instanceof GarbageCollectionPausedError)) throw error;
    if (Date.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = Date.now();
    deps.logger.warn({ event: 'sweeps.held', message: error.message });
  }
}

/** Has the metrics say whether sweeps and purges are held, by a look whenever they are read. */
export function exposePause(deps: DispatcherDependencies): void {
  new Gauge({
    name: 'sweeps_held',
    help: '1 while sweeps and purges wait for "npm run admin -- sweeps resume"; none while that cannot be told.',
    registers: [deps.metrics.registry],
    async collect() {
      try {
        const { mark, heldFor } = await compareMarker(deps, AbortSignal.timeout(LOOK_TIMEOUT_MS));
        this.set(mark !== null && heldFor !== null ? 1 : 0);
      } catch {
        this.remove();
      }
    },
  });
}
