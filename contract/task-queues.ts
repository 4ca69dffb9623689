/**
 * The queue for activities that wait: for the network, for other runs, for the database. Extraction, which computes,
 * stays on `taskQueue`, the queue of the runs themselves: activities there come with the answer to the workflow task.
 */
export function waitingTaskQueue(taskQueue: string): string {
  return `${taskQueue}-waiting`;
}
