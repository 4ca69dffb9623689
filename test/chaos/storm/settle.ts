/** Waits until nothing is owed any more. */
import { setTimeout as delay } from 'node:timers/promises';
import type { World } from './world.ts';

/** What is still owed or under way, by name. */
export type Owed = Record<string, number>;

const owedRows = `select
  (select count(*)::int from sources where status in ('CREATED', 'PENDING', 'PROCESSING')) as "open sources",
  (select count(*)::int from outbox) as "outbox rows",
  (select count(*)::int from postbacks where state = 'pending') as "pending postbacks"`;

export async function openRuns({ temporal }: World): Promise<{ workflowId: string; runId: string }[]> {
  const runs: { workflowId: string; runId: string }[] = [];
  for await (const { workflowId, runId } of temporal.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    runs.push({ workflowId, runId });
  }
  return runs;
}

async function lookAt(world: World): Promise<Owed> {
  const { rows } = await world.database.pool.query(owedRows);
  return { ...rows[0], 'open workflows': (await openRuns(world)).length };
}

/**
 * Waits until nothing is owed, at most `withinMs` after `begun`, and returns how long after that it was and what is
 * owed still.
 */
export async function settle(
  world: World,
  begun: number,
  withinMs: number,
  signal: AbortSignal,
): Promise<{ ms: number; owed: Owed }> {
  for (;;) {
    const owed = await lookAt(world).catch((error: unknown): Owed => ({ [`no answer (${error})`]: 1 }));
    const ms = Date.now() - begun;
    if (Object.values(owed).every((count) => count === 0) || ms > withinMs) return { ms, owed };
    await delay(250, undefined, { signal });
  }
}
