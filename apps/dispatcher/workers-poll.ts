import type { Client } from '@temporalio/client';
import type { Config } from '../../platform/config.ts';
import { withDeadline } from '../../platform/temporal.ts';

/** Temporal remembers pollers for minutes; one that lives asks again at least this often. */
const POLL_MS = 75_000;
/** TASK_QUEUE_TYPE_WORKFLOW of Temporal's API. */
const WORKFLOW_TASKS = 1;

/** Whether any worker asks for work: without one, a run that stands still says nothing. */
export async function workersPoll(client: Client, config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>): Promise<boolean> {
  const { pollers } = await withDeadline(client, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: config.TEMPORAL_TASK_QUEUE },
      taskQueueType: WORKFLOW_TASKS,
    }),
  );
  const since = Date.now() - POLL_MS;
  return pollers.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since);
}
