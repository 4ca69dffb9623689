import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { dependencyFailure, sourceActivities } from '../../../contract/commands.ts';
import { withDeadline } from '../../../platform/temporal.ts';

export interface OpenRun {
  state: 'open';
  runId: string;
  /** Search attribute Generation of a source's run; null before its first generation, and for other runs. */
  generation: number | null;
  /** Failures and timeouts in a row of the pending workflow task. */
  taskFailures: number;
  /** Its workflow task waits for a worker, or an operator paused it: it cannot be classified. */
  isWaiting: boolean;
  /** Pending activities that deliver a postback, those between two delivery attempts included. */
  deliveries: number;
  /** Other pending activities: queued, running, in back-off or waiting for the database; without failing writes. */
  activities: number;
  /** The activity that begins or finishes the generation keeps failing; its retries are unlimited. */
  hasFailingWrite: boolean;
  /** A pending activity reads or writes the database, after which the run knows every pending postback. */
  isSynchronizing: boolean;
}

export type Run =
  | OpenRun
  | { state: 'closed'; runId: string; generation: number | null }
  | { state: 'missing'; runId: null; generation: null };

const generationKey = defineSearchAttributeKey('Generation', 'INT');
/** Failed attempts of a write beyond which it counts as failing. */
const MAX_WRITE_ATTEMPTS = 3;
const writes: ReadonlySet<string> = new Set([sourceActivities.begin, sourceActivities.finish]);

function openRun({ status, runId, raw }: WorkflowExecutionDescription, generation: number | null): OpenRun {
  const { pendingWorkflowTask: task, pendingActivities } = raw;
  const taskFailures = Math.max(0, (task?.attempt ?? 1) - 1);
  let [deliveries, activities, hasFailingWrite, isSynchronizing] = [0, 0, false, false];
  for (const { activityType, attempt, lastFailure } of pendingActivities ?? []) {
    const name = activityType?.name ?? '';
    const isWrite = writes.has(name);
    isSynchronizing ||= isWrite || name === sourceActivities.listPending || name === sourceActivities.stopDeliveries;
    // The worker waits until database and storage are reachable.
    const waitsForDependency = lastFailure?.applicationFailureInfo?.type === dependencyFailure;
    if (name === sourceActivities.deliver) deliveries += 1;
    else if (isWrite && Number(attempt ?? 1) > MAX_WRITE_ATTEMPTS && !waitsForDependency) hasFailingWrite = true;
    else activities += 1;
  }
  const isWaiting = status.name === 'PAUSED' || (task != null && taskFailures === 0);
  return {
    state: 'open',
    runId,
    generation,
    taskFailures,
    isWaiting,
    deliveries,
    activities,
    hasFailingWrite,
    isSynchronizing,
  };
}

/**
 * Describes the newest run with this workflow id. Uses DescribeWorkflowExecution, not visibility, which lags.
 * @throws every error except NotFound: while Temporal cannot be reached, the state of the run is unknown.
 */
export async function describeRun(client: Client, workflowId: string): Promise<Run> {
  try {
    const description = await withDeadline(client, () => client.workflow.getHandle(workflowId).describe());
    const generation = description.typedSearchAttributes.get(generationKey) ?? null;
    const open = description.status.name === 'RUNNING' || description.status.name === 'PAUSED';
    return open ? openRun(description, generation) : { state: 'closed', runId: description.runId, generation };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { state: 'missing', runId: null, generation: null };
    throw error;
  }
}
