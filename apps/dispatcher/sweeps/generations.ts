import { inBucketsDatabase } from '../../../db/transitions/belonging.ts';
import { sweepGenerations as removeOld } from '../../../db/transitions/sweep.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { inBatches } from './in-batches.ts';

/** Removes rows of generations beyond the last 100 of their source; returns how many. */
export function sweepGenerations(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  return inBatches(signal, (limit) => inBucketsDatabase(deps, (session) => removeOld(session, limit)));
}
