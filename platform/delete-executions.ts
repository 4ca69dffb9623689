/** Executions removed from Temporal for good: their histories and what lists show of them. */
import { status } from '@grpc/grpc-js';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { withDeadline } from './temporal.ts';

const PAGE = 100;
/** Calls to Temporal that are open at once. */
const AT_ONCE = 5;

/** A run of a workflow id; the newest one where no run is named. */
interface Execution {
  workflowId: string;
  runId?: string;
}

/**
 * Has Temporal delete the newest run of each workflow id, an open one after its end; one that is gone is fine. Temporal
 * does so on its own time once it has answered: an open one is ended at once, and one that closed just now may take a
 * minute. A repetition changes nothing. Runs before the newest are found by `deleteFoundExecutions` alone.
 */
export async function deleteNewestExecutions(
  client: Client,
  workflowIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  await deleteAll(
    client,
    workflowIds.map((workflowId) => ({ workflowId })),
    signal,
  );
}

/**
 * Has Temporal delete every run that a visibility query finds, but not `exceptRunId`; returns how many it found. What
 * began just now may not be found yet.
 */
export async function deleteFoundExecutions(
  client: Client,
  query: string,
  { exceptRunId, signal }: { exceptRunId?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const { namespace } = client.options;
  let found = 0;
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    signal?.throwIfAborted();
    const page = await withDeadline(client, () =>
      client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: PAGE, nextPageToken }),
    );
    const executions = page.executions.flatMap(({ execution }) => {
      const { workflowId, runId } = execution ?? {};
      return !workflowId || !runId || runId === exceptRunId ? [] : [{ workflowId, runId }];
    });
    await deleteAll(client, executions, signal);
    found += executions.length;
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
  return found;
}

async function deleteAll(client: Client, executions: Execution[], signal?: AbortSignal): Promise<void> {
  const left = [...executions];
  const deleteOnes = async () => {
    for (let execution = left.shift(); execution !== undefined; execution = left.shift()) {
      signal?.throwIfAborted();
      await deleteOne(client, execution);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, deleteOnes));
}

async function deleteOne(client: Client, workflowExecution: Execution): Promise<void> {
  const { namespace } = client.options;
  try {
    await withDeadline(client, () => client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution }));
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== status.NOT_FOUND) throw error;
    // A namespace that is missing is no execution that is gone.
    if (/namespace/i.test(error.details)) throw error;
  }
}

/** How many executions a visibility query finds. */
export async function countExecutions(client: Client, query: string): Promise<number> {
  const { namespace } = client.options;
  const { count } = await withDeadline(client, () =>
    client.workflowService.countWorkflowExecutions({ namespace, query }),
  );
  return Number(count);
}

/** A list of values for a visibility query. Ids of ours need no escaping; anything else is refused. */
function listed(values: readonly string[]): string {
  if (!values.every((value) => /^[-0-9A-Za-z]+$/.test(value))) throw new TypeError('Only ids stand in a query.');
  return values.map((value) => `'${value}'`).join(', ');
}

/** The visibility query for everything that has one of these values as its search attribute or workflow id. */
export function executionsWith(
  attribute: 'OwnerId' | 'SpaceId' | 'SourceId' | 'WorkflowId',
  values: readonly string[],
): string {
  return `${attribute} IN (${listed(values)})`;
}
