import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { sourceWorkflowId } from '../../contract/commands.ts';

/** Resets the newest run of a source to its first workflow task. Returns the id of the new run. */
export async function resetRun({ connection, options, workflow }: Client, sourceId: string): Promise<string> {
  const handle = workflow.getHandle(sourceWorkflowId(sourceId));
  const [{ runId }, history] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  const first = history.events?.find(
    ({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes,
  );
  const response = await connection.workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId: handle.workflowId, runId },
    workflowTaskFinishEventId: first?.eventId ?? null,
    reason: 'test',
    requestId: randomUUID(),
  });
  return response.runId;
}
