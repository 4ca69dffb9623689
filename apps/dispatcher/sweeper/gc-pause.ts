/** Warning and gauge for operators while garbage collection is paused. */
import { Gauge } from 'prom-client';
import { compareMarker, GarbageCollectionPausedError, renewMarker } from '../../../db/bucket-ownership.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const WARN_EVERY_MS = 60_000;
const COMPARE_TIMEOUT_MS = 2_000;

let warnedAt = Number.NEGATIVE_INFINITY;

/** Runs `work`. While garbage collection is paused it does nothing but log a warning, at most once a minute. */
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

/** Adds a gauge that tells whether garbage collection is paused. The bucket is read on each scrape. */
export function exposePause(deps: DispatcherDependencies): void {
  new Gauge({
    name: 'sweeps_held',
    help: '1 while sweeps and purges wait for "npm run admin -- sweeps resume"; no value while that is unknown.',
    registers: [deps.metrics.registry],
    async collect() {
      try {
        const { mark, pauseReason } = await compareMarker(deps, AbortSignal.timeout(COMPARE_TIMEOUT_MS));
        this.set(mark !== null && pauseReason !== null ? 1 : 0);
      } catch {
        this.remove();
      }
    },
  });
}
