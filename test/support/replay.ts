/** Replays of runs that were broken on purpose, as the workers that take them up after a deployment do. */
import type { Client } from '@temporalio/client';
import { DefaultLogger, type ReplayHistoriesIterable, Runtime, Worker } from '@temporalio/worker';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { stack } from './stack.ts';

export interface PlayedRun {
  sourceId: string;
  /** The newest one where none is named. */
  runId?: string | undefined;
}

/** What keeps the workflows as they are now from replaying these histories; empty when all of them go on. */
export async function brokenHistories(histories: ReplayHistoriesIterable): Promise<string[]> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const broken: string[] = [];
  const { WORKFLOW_BUNDLE: codePath = '' } = stack().settings;
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    if (error) broken.push(`${workflowId}: ${error.message}`);
  }
  return broken;
}

/** The same of runs that a test has just played. */
export async function brokenReplays(client: Client, runs: PlayedRun[]): Promise<string[]> {
  const histories = runs.map(async ({ sourceId, runId }) => {
    const workflowId = sourceWorkflowId(sourceId);
    return { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
  });
  return brokenHistories(await Promise.all(histories));
}
