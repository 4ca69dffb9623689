/** Replays of runs that a test has just played, as the workers that take them up after a deployment do. */
import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { stack } from './stack.ts';

export interface PlayedRun {
  sourceId: string;
  /** The newest one where none is named. */
  runId?: string | undefined;
}

/** What keeps the workflows as they are now from replaying these runs; empty when all of them go on. */
export async function brokenReplays(client: Client, runs: PlayedRun[]): Promise<string[]> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const histories = await Promise.all(
    runs.map(async ({ sourceId, runId }) => {
      const workflowId = sourceWorkflowId(sourceId);
      return { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
    }),
  );
  const broken: string[] = [];
  const { WORKFLOW_BUNDLE: codePath = '' } = stack().settings;
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    if (error) broken.push(`${workflowId}: ${error.message}`);
  }
  return broken;
}
