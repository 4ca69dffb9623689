/** Waits until nothing of what was measured goes on, so that no side works for the one before it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Database } from '../../db/orm.ts';
import { query, statement } from '../../db/sql.ts';
import { LIMIT_MS } from './polling.ts';

const LOOK_MS = 200;
/** Visibility shows a run a moment after it began or ended. */
const LOOKS = 3;

const underWay = statement<{ count: number }>(
  'bench-under-way',
  `select (select count(*) from outbox) +
          (select count(*) from sources where status in ('CREATED', 'PENDING', 'PROCESSING')) as count`,
);

/** Returns when Temporal has had no open run, and the database no command and no open source, for 3 looks in a row. */
export async function drain(client: Client, { pool }: Database): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (let quiet = 0; quiet < LOOKS; await delay(LOOK_MS)) {
    const [row] = await query(pool, underWay, []);
    const { count: open } = await client.workflow.count("ExecutionStatus = 'Running'");
    quiet = row?.count === 0 && open === 0 ? quiet + 1 : 0;
    if (Date.now() > deadline) throw new Error(`${row?.count} rows and ${open} runs are still under way.`);
  }
}
