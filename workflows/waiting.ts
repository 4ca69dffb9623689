/** Where the activities of a run go that wait rather than compute. */
import { workflowInfo } from '@temporalio/workflow';
import { waitingTaskQueue } from '../contract/task-queues.ts';

// Every run loads these modules for itself, so the queue of this run is known here.
export const waiting = { taskQueue: waitingTaskQueue(workflowInfo().taskQueue) };
