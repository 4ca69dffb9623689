/** Deletion of executions in Temporal, with their histories and visibility records. */
import { status } from '@grpc/grpc-js';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { withDeadline } from './temporal.ts';

const PAGE = 100;
/** Concurrent calls to Temporal. */
const MAX_CONCURRENT = 5;

/** A run of a workflow id; without `runId` the newest one. */
interface Execution {
  workflowId: string;
  runId?: string;
}

/**
 * Deletes the newest run of each workflow id; missing runs are ignored. Temporal deletes asynchronously: it terminates
 * an open run immediately, and a run that closed recently may take a minute. Idempotent. Only `deleteFoundExecutions`
 * deletes older runs.
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
 * Deletes every run that a visibility query finds, except `exceptRunId`; returns how many it found. Visibility lags: it
 * may not list recent runs yet.
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
  const remaining = [...executions];
  const deleteNext = async () => {
    for (let execution = remaining.shift(); execution !== undefined; execution = remaining.shift()) {
      signal?.throwIfAborted();
      await deleteOne(client, execution);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, deleteNext));
}

async function deleteOne(client: Client, workflowExecution: Execution): Promise<void> {
  const { namespace } = client.options;
  try {
    await withDeadline(client, () => client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution }));
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== status.NOT_FOUND) throw error;
    // NOT_FOUND of the namespace is an error; of an execution it is not.
    if (/namespace/i.test(error.details)) throw error;
  }
}

/** Returns how many executions a visibility query finds. */
export async function countExecutions(client: Client, query: string): Promise<number> {
  const { namespace } = client.options;
  const { count } = await withDeadline(client, () =>
    client.workflowService.countWorkflowExecutions({ namespace, query }),
  );
  return Number(count);
}

/** Formats a list of ids for a visibility query. @throws TypeError for a value that would need escaping. */
function formatList(values: readonly string[]): string {
  if (!values.every((value) => /^[-0-9A-Za-z]+$/.test(value))) throw new TypeError('Only ids may be in a query.');
  return values.map((value) => `'${value}'`).join(', ');
}

/** Returns the visibility query for executions that have one of these values as search attribute or workflow id. */
export function executionsWith(
  attribute: 'OwnerId' | 'SpaceId' | 'SourceId' | 'WorkflowId',
  values: readonly string[],
): string {
  return `${attribute} IN (${formatList(values)})`;
}
