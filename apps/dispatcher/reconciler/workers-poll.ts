import type { Client } from '@temporalio/client';
import type { Config } from '../../../platform/config.ts';
import { withDeadline } from '../../../platform/temporal.ts';

/** Temporal remembers pollers for minutes; one that lives asks again at least this often. */
const POLL_MS = 75_000;
/** TASK_QUEUE_TYPE_WORKFLOW of Temporal's API. */
const WORKFLOW_TASKS = 1;

/**
 * Tells whether any worker asks for work: without one, a run that stands still says nothing. Polls are compared with
 * those of earlier calls, since the clock of this process may be minutes away from Temporal's: a queue whose last poll
 * has not moved for 75 s has no worker. The first call counts every worker that Temporal remembers.
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
