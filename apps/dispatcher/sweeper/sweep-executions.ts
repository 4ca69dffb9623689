import { purgeWorkflowId, sourceWorkflowId } from '../../../contract/commands.ts';
import { listDueTombstones, removeTombstones, type Tombstone } from '../../../db/transitions/retention/tombstones.ts';
import { deleteFoundExecutions, executionsWith } from '../../../platform/delete-executions.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const BATCH = 100;
/** Longer than a command may be on its way (its lease and one call), and than Temporal's lists usually lag. */
const SETTLED_SECONDS = 60;

/** Everything that Temporal may show of it, the run of its purge too. */
function queryOf({ of, id }: Tombstone): string {
  if (of === 'user') return executionsWith('OwnerId', [id]);
  if (of === 'space') return executionsWith('SpaceId', [id]);
  const workflowIds = [sourceWorkflowId(id), purgeWorkflowId({ of, id })];
  return `${executionsWith('SourceId', [id])} OR ${executionsWith('WorkflowId', workflowIds)}`;
}

/**
 * Removes executions of what was purged a while ago: the purges' own, those of commands that were on their way, and
 * those that Temporal's lists did not show yet. Looks again until there is none; returns how many it found.
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
    // Those with executions are looked at again by the next sweep.
    if (due.length < BATCH || done.length < due.length) return found;
  }
}
