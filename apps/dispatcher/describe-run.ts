import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { withDeadline } from '../../platform/temporal.ts';

export type RunState = { state: 'open' | 'closed'; runId: string } | { state: 'missing'; runId: null };

/**
 * What Temporal itself says of the newest run with this workflow id. Visibility is never asked: it lags.
 * @throws any error but NotFound: when Temporal cannot be asked, nothing may be concluded.
 */
export async function describeRun(client: Client, workflowId: string): Promise<RunState> {
  try {
    const description = await withDeadline(client, () => client.workflow.getHandle(workflowId).describe());
    const open = description.status.name === 'RUNNING' || description.status.name === 'PAUSED';
    return { state: open ? 'open' : 'closed', runId: description.runId };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { state: 'missing', runId: null };
    throw error;
  }
}
