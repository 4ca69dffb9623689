/** Replays histories with the present workflows, as workers do after a deployment. */
import type { Client } from '@temporalio/client';
import { DefaultLogger, type ReplayHistoriesIterable, Runtime, Worker } from '@temporalio/worker';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { stack } from './stack.ts';

export interface RunRef {
  sourceId: string;
  /** Default: the newest run. */
  runId?: string | undefined;
}

/** Returns the errors of replaying these histories with the present workflows; empty when all replay. */
export async function historyReplayErrors(histories: ReplayHistoriesIterable): Promise<string[]> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const errors: string[] = [];
  const { WORKFLOW_BUNDLE: codePath = '' } = stack().settings;
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    if (error) errors.push(`${workflowId}: ${error.message}`);
  }
  return errors;
}

/** Fetches the histories of these runs and returns the errors of replaying them. */
export async function replayErrors(client: Client, runs: RunRef[]): Promise<string[]> {
  const histories = runs.map(async ({ sourceId, runId }) => {
    const workflowId = sourceWorkflowId(sourceId);
    return { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
  });
  return historyReplayErrors(await Promise.all(histories));
}
