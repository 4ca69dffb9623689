/** Sweeps of rows, and of unclaimed uploads with their objects; in batches, so that no statement takes long. */
import { withBucketOwnership } from '../../../db/bucket-ownership.ts';
import { removeOldFetchCounts } from '../../../db/host-fetches.ts';
import { removeOldResponses } from '../../../db/idempotency.ts';
import type { Session } from '../../../db/sql.ts';
import { removeOldGenerations, removeUnclaimedUploads } from '../../../db/transitions/retention/sweep.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const BATCH = 1_000;

/** Calls `remove` until a batch is not full; returns how many rows it removed in all. */
async function inBatches(signal: AbortSignal, remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  for (;;) {
    signal.throwIfAborted();
    const batch = await remove(BATCH);
    removed += batch;
    if (batch < BATCH) return removed;
  }
}

type Remove = (session: Session, limit: number) => Promise<number>;

function sweepWith(remove: Remove) {
  return (deps: DispatcherDependencies, signal: AbortSignal): Promise<number> =>
    inBatches(signal, (limit) => withBucketOwnership(deps, (session) => remove(session, limit)));
}

/** Removes rows of generations beyond the last 100 of their source; returns how many. */
export const sweepGenerations = sweepWith(removeOldGenerations);
/** Removes counts of fetches whose minute is over; returns how many. */
export const sweepHostFetches = sweepWith(removeOldFetchCounts);
/** Removes responses to requests with an Idempotency-Key that are older than 24 h; returns how many. */
export const sweepIdempotencyKeys = sweepWith(removeOldResponses);

/** Removes uploads that no source has claimed; returns how many. The row goes first, so that no source can claim it. */
export function sweepUploads(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  const retentionSeconds = deps.config.UPLOAD_RETENTION_SECONDS;
  return inBatches(signal, async (limit) => {
    const keys = await withBucketOwnership(deps, (session) => removeUnclaimedUploads(session, retentionSeconds, limit));
    // A crash before this leaves an object without a row, which the collector removes.
    await deps.storage.deleteKeys(keys, { signal });
    return keys.length;
  });
}
