/** Temporal client of tests; separate from client.ts, since importing the SDK slows test files that do not need it. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { stack } from './stack.ts';
import { until } from './until.ts';

/** Connects to Temporal directly, as an operator does. */
export function temporal(): Client {
  const { TEMPORAL_ADDRESS = '' } = stack().settings;
  return createTemporalClient({ TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: 'default' });
}

/** Waits until the newest run of a source is closed. Returns its description. */
export function closedRun(client: Client, sourceId: string, withinMs?: number): Promise<WorkflowExecutionDescription> {
  return until(
    `the run of ${sourceId} is closed`,
    async () => {
      const description = await client.workflow.getHandle(sourceWorkflowId(sourceId)).describe();
      if (description.status.name !== 'RUNNING') return description;
      throw new Error('it is open');
    },
    withinMs,
  );
}
