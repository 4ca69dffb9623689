import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { dependencyFailure, sourceActivities } from '../../../contract/commands.ts';
import { withDeadline } from '../../../platform/temporal.ts';

export interface OpenRun {
  state: 'open';
  runId: string;
  /** The generation that a source's run shows; null before it began one, and for other runs. */
  generation: number | null;
  /** How often in a row a worker failed, or failed to answer, the workflow task that is pending. */
  taskFailures: number;
  /** Its turn at a worker is still to come, or it was paused by an operator: nothing can be said of it. */
  waits: boolean;
  /** Postbacks that it is delivering, or whose next attempt it awaits. */
  deliveries: number;
  /** Other activities: queued, running, in their back-off or waiting for the database; not a write that keeps failing. */
  activities: number;
  /** The generation's begin or end keeps failing: these are tried without an end. */
  writeFails: boolean;
  /** It is reading or writing the database, after which it knows of every pending postback. */
  synchronizes: boolean;
}

export type Run =
  | OpenRun
  | { state: 'closed'; runId: string; generation: number | null }
  | { state: 'missing'; runId: null; generation: null };

const generationKey = defineSearchAttributeKey('Generation', 'INT');
/** So many attempts of a write may fail before it counts as one that keeps failing. */
const FEW_ATTEMPTS = 3;
const writes: ReadonlySet<string> = new Set([sourceActivities.begin, sourceActivities.finish]);

function openRun({ status, runId, raw }: WorkflowExecutionDescription, generation: number | null): OpenRun {
  const { pendingWorkflowTask: task, pendingActivities } = raw;
  const taskFailures = Math.max(0, (task?.attempt ?? 1) - 1);
  let [deliveries, activities, writeFails, synchronizes] = [0, 0, false, false];
  for (const { activityType, attempt, lastFailure } of pendingActivities ?? []) {
    const name = activityType?.name ?? '';
    const isWrite = writes.has(name);
    synchronizes ||= isWrite || name === sourceActivities.listPending || name === sourceActivities.stopDeliveries;
    // A worker that cannot reach the database or the storage waits for them.
    const waitsForDependency = lastFailure?.applicationFailureInfo?.type === dependencyFailure;
    if (name === sourceActivities.deliver) deliveries += 1;
    else if (isWrite && Number(attempt ?? 1) > FEW_ATTEMPTS && !waitsForDependency) writeFails = true;
    else activities += 1;
  }
  const waits = status.name === 'PAUSED' || (task != null && taskFailures === 0);
  return { state: 'open', runId, generation, taskFailures, waits, deliveries, activities, writeFails, synchronizes };
}

/**
 * What Temporal itself says of the newest run with this workflow id. Visibility is never asked: it lags.
 * @throws any error but NotFound: when Temporal cannot be asked, nothing may be concluded.
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
