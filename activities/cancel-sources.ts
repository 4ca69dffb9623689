import type { SpaceDeletion } from '../contract/commands.ts';
import { transaction } from '../db/sql.ts';
import { cancelNextSources } from '../db/transitions/spaces/cancel-in-deleted-space.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { withHeartbeat } from './runtime/heartbeat.ts';

const BATCH = 100;

/** Cancels the open generations in a deleted space until the space is restored. Returns the number canceled. */
export async function cancelSources(deps: Dependencies, deletion: SpaceDeletion): Promise<number> {
  const { config, database, logger, metrics } = deps;
  return withHeartbeat(async (signal) => {
    let canceled = 0;
    let after: string | null = null;
    let batch: string[] | null;
    do {
      signal.throwIfAborted();
      batch = await transaction(database, (session) =>
        cancelNextSources(session, config.PUBLIC_URL, deletion, after, BATCH),
      );
      canceled += batch?.length ?? 0;
      after = batch?.at(-1) ?? null;
    } while (batch?.length === BATCH);
    metrics.generationsEnded.inc({ status: 'CANCELED', code: '' }, canceled);
    logger.info({ event: batch === null ? 'space_deletion.stopped' : 'space_deletion.done', ...deletion, canceled });
    return canceled;
  });
}
