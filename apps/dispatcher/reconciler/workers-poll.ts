import type { Client } from '@temporalio/client';
import type { Config } from '../../../platform/config.ts';
import { withDeadline } from '../../../platform/temporal.ts';

/** Longest interval between polls of a live worker. Temporal lists a poller for minutes after its last poll. */
const POLL_MS = 75_000;
/** TASK_QUEUE_TYPE_WORKFLOW of Temporal's API. */
const WORKFLOW_TASKS = 1;

/**
 * Returns a function that says whether any worker polls the task queue: without one, a run without progress proves
 * nothing. A queue whose last poll has not moved for 75 s has no worker. Polls are compared with earlier calls, since
 * this process's clock may differ from Temporal's by minutes. The first call counts every poller that Temporal lists.
 */
export function watchPollers(
  client: Client,
  { TEMPORAL_TASK_QUEUE: name }: Pick<Config, 'TEMPORAL_TASK_QUEUE'>,
): () => Promise<boolean> {
  let lastPoll = Number.NEGATIVE_INFINITY;
  let movedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const { pollers } = await withDeadline(client, () =>
      client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name },
        taskQueueType: WORKFLOW_TASKS,
      }),
    );
    const polls = pollers.map(({ lastAccessTime: at }) => Number(at?.seconds ?? 0) + (at?.nanos ?? 0) / 1e9);
    const newest = Math.max(Number.NEGATIVE_INFINITY, ...polls);
    if (newest > lastPoll) {
      lastPoll = newest;
      movedAt = performance.now();
    }
    return performance.now() - movedAt < POLL_MS;
  };
}
