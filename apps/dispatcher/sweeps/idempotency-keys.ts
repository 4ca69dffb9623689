import { inBucketsDatabase } from '../../../db/transitions/belonging.ts';
import { sweepAnswers } from '../../../db/transitions/idempotency.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { inBatches } from './in-batches.ts';

/** Removes answers to requests with an Idempotency-Key that are older than 24 h; returns how many. */
export function sweepIdempotencyKeys(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  return inBatches(signal, (limit) => inBucketsDatabase(deps, (session) => sweepAnswers(session, limit)));
}
