import { inBucketsDatabase } from '../../../db/transitions/belonging.ts';
import { sweepUploads as removeUnclaimed } from '../../../db/transitions/sweep.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { inBatches } from './in-batches.ts';

/** Removes uploads that no source ever claimed; returns how many. A row goes first: from then on nobody claims it. */
export function sweepUploads(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  const retentionSeconds = deps.config.UPLOAD_RETENTION_SECONDS;
  return inBatches(signal, async (limit) => {
    const keys = await inBucketsDatabase(deps, (session) => removeUnclaimed(session, retentionSeconds, limit));
    // What a crash between the two leaves behind is an object without a row, which the collector removes.
    await deps.storage.deleteKeys(keys, { signal });
    return keys.length;
  });
}
