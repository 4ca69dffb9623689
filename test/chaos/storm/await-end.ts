/** Waits until nothing is pending. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';

/** Number of pending items by name. */
export type Pending = Record<string, number>;

const pendingRows = `select
  (select count(*)::int from sources where status in ('CREATED', 'PENDING', 'PROCESSING')) as "open sources",
  (select count(*)::int from outbox) as "outbox rows",
  (select count(*)::int from postbacks where state = 'pending') as "pending postbacks",
  (select count(*)::int from artifacts where status = 'PROCESSING') as "artifacts in processing",
  (select count(*)::int from support_tickets where status = 'PENDING') as "unsent tickets",
  (select count(*)::int from sources where deleted_at is not null) as "deleted sources",
  (select count(*)::int from spaces where deleted_at is not null) as "deleted spaces"`;

export async function listOpenRuns({ temporal }: Cluster): Promise<{ workflowId: string; runId: string }[]> {
  const runs: { workflowId: string; runId: string }[] = [];
  for await (const { workflowId, runId } of temporal.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    runs.push({ workflowId, runId });
  }
  return runs;
}

async function countPending(cluster: Cluster): Promise<Pending> {
  const { rows } = await cluster.database.pool.query(pendingRows);
  return { ...rows[0], 'open workflows': (await listOpenRuns(cluster)).length };
}

/** Waits up to `withinMs` until nothing is pending. Returns the milliseconds since `begun` and the remaining counts. */
export async function awaitEnd(
  cluster: Cluster,
  begun: number,
  withinMs: number,
  signal: AbortSignal,
): Promise<{ ms: number; pending: Pending }> {
  for (;;) {
    const pending = await countPending(cluster).catch((error: unknown): Pending => ({ [`cannot count: ${error}`]: 1 }));
    const ms = Date.now() - begun;
    if (Object.values(pending).every((count) => count === 0) || ms > withinMs) return { ms, pending };
    await delay(250, undefined, { signal });
  }
}
