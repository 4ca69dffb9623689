import { purgeWorkflowId, sourceWorkflowId } from '../../../contract/commands.ts';
import { listDueTombstones, removeTombstones, type Tombstone } from '../../../db/transitions/retention/tombstones.ts';
import { deleteFoundExecutions, executionsWith } from '../../../platform/delete-executions.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const BATCH = 100;
/** Longer than a command may be in flight (its lease and one call), and than Temporal's visibility usually lags. */
const SETTLED_SECONDS = 60;

/** Returns the visibility query for all executions of a purged subject, the run of its purge included. */
function queryOf({ of, id }: Tombstone): string {
  if (of === 'user') return executionsWith('OwnerId', [id]);
  if (of === 'space') return executionsWith('SpaceId', [id]);
  const workflowIds = [sourceWorkflowId(id), purgeWorkflowId({ of, id })];
  return `${executionsWith('SourceId', [id])} OR ${executionsWith('WorkflowId', workflowIds)}`;
}

/**
 * Removes executions of purged subjects, SETTLED_SECONDS after the purge: those of the purges themselves, of commands
 * that were in flight, and those that visibility did not list yet. A tombstone is removed when no execution is found.
 * Returns how many executions were found.
 */
export async function sweepExecutions(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  const { database, temporal } = deps;
  let found = 0;
  for (;;) {
    const due = await listDueTombstones(database.pool, SETTLED_SECONDS, BATCH);
    const done: Tombstone[] = [];
    for (const tombstone of due) {
      signal.throwIfAborted();
      const executions = await deleteFoundExecutions(temporal, queryOf(tombstone), { signal });
      if (executions === 0) done.push(tombstone);
      found += executions;
    }
    await removeTombstones(database.pool, done);
    // The next sweep checks the tombstones that had executions again.
    if (due.length < BATCH || done.length < due.length) return found;
  }
}
