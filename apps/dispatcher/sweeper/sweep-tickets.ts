import { ticketWorkflowId } from '../../../contract/commands.ts';
import { withBucketOwnership } from '../../../db/bucket-ownership.ts';
import { listOldTickets, removeTickets } from '../../../db/transitions/tickets/sweep-tickets.ts';
import { deleteFoundExecutions, deleteNewestExecutions, executionsWith } from '../../../platform/delete-executions.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const BATCH = 100;

/**
 * Removes tickets that were sent TICKET_RETENTION_SECONDS ago, and their executions in Temporal; returns how many. The
 * rows go last: they stay while Temporal is away.
 */
export async function sweepTickets(deps: DispatcherDependencies, signal: AbortSignal): Promise<number> {
  const { config, temporal } = deps;
  let removed = 0;
  for (let batch = BATCH; batch === BATCH; removed += batch) {
    signal.throwIfAborted();
    const ids = await withBucketOwnership(deps, (session) =>
      listOldTickets(session, config.TICKET_RETENTION_SECONDS, BATCH),
    );
    if (ids.length === 0) return removed;
    const workflowIds = ids.map(ticketWorkflowId);
    await deleteNewestExecutions(temporal, workflowIds, signal);
    await deleteFoundExecutions(temporal, executionsWith('WorkflowId', workflowIds), { signal });
    batch = await withBucketOwnership(deps, (session) => removeTickets(session, ids));
  }
  return removed;
}
