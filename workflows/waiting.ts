/** What activities of several workflows share. */
import { workflowInfo } from '@temporalio/workflow';
import { waitingTaskQueue } from '../contract/task-queues.ts';

/** Where the activities of a run go that wait rather than compute. */
// Every run loads these modules for itself, so the queue of this run is known here.
export const waiting = { taskQueue: waitingTaskQueue(workflowInfo().taskQueue) };

/** After so long without a heartbeat, an activity's worker counts as dead and another one takes over. */
export const HEARTBEAT_TIMEOUT = '20s';
