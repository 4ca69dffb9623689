/** Activity options that several workflows share. */
import { workflowInfo } from '@temporalio/workflow';
import { waitingTaskQueue } from '../contract/task-queues.ts';

/** Task queue of activities that wait rather than compute. */
// Modules are loaded per run, so workflowInfo() is available at the top level.
export const waiting = { taskQueue: waitingTaskQueue(workflowInfo().taskQueue) };

/** Without a heartbeat for this long, the attempt has failed and another worker runs the next one. */
export const HEARTBEAT_TIMEOUT = '20s';
