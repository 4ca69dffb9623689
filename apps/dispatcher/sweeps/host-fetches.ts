import { inBucketsDatabase } from '../../../db/transitions/belonging.ts';
import { sweepFetches } from '../../../db/transitions/count-fetch.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { inBatches } from './in-batches.ts';

/** Removes counts of fetches whose minute is over; returns how many. */
export function sweepHostFetches(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  return inBatches(signal, (limit) => inBucketsDatabase(deps, (session) => sweepFetches(session, limit)));
}
