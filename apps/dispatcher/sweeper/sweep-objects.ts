import type { DispatcherDependencies } from '../dependencies.ts';
import { collectObjects, UNNAMED_SECONDS } from './collect-objects.ts';

/** Removes unreferenced objects; returns how many. Removes none and logs an error when they are suspiciously many. */
export async function sweepObjects(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  const { config, logger, metrics } = deps;
  const { removed, stopped, ...found } = await collectObjects(deps, {
    graceSeconds: config.OBJECT_GRACE_SECONDS,
    unnamedSeconds: UNNAMED_SECONDS,
    signal,
  });
  if (stopped) {
    metrics.collectorStops.inc();
    logger.error({ event: 'collector.stopped', ...found });
  }
  return removed;
}
