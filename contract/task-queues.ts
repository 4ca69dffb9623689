/**
 * The task queue of activities that mostly wait (for the network, other runs, the database). Extraction, which
 * computes, stays on `taskQueue`, the queue of the workflows: its activities are returned with the completed workflow
 * task (eager start).
 */
export function waitingTaskQueue(taskQueue: string): string {
  return `${taskQueue}-waiting`;
}
