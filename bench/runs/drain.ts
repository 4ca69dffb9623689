/** Waits until all work of a measurement has ended, so that it does not slow the next side. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Database } from '../../db/orm.ts';
import { query, statement } from '../../db/sql.ts';
import { TIMEOUT_MS } from './polling.ts';

const POLL_MS = 200;
/** Visibility lags behind, so one empty poll is not enough. */
const QUIET_POLLS = 3;

const openRows = statement<{ count: number }>(
  'bench-under-way',
  `select (select count(*) from outbox) +
          (select count(*) from sources where status in ('CREATED', 'PENDING', 'PROCESSING')) as count`,
);

/** Waits until 3 consecutive polls find no open run in Temporal, no command in the outbox and no open source. */
export async function drain(client: Client, { pool }: Database): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (let quiet = 0; quiet < QUIET_POLLS; await delay(POLL_MS)) {
    const [row] = await query(pool, openRows, []);
    const { count: open } = await client.workflow.count("ExecutionStatus = 'Running'");
    quiet = row?.count === 0 && open === 0 ? quiet + 1 : 0;
    if (Date.now() > deadline) throw new Error(`${row?.count} rows and ${open} runs are still open.`);
  }
}
