/** What a claim costs while many owners wait. */
import { randomUUID } from 'node:crypto';
import { claimCommands, removeCommands } from '../../db/transitions/claim-commands.ts';
import type { Holder } from '../stack.ts';
import { openBenchDatabase } from './side.ts';

/** As many as a dispatcher claims at once by default. */
const LIMIT = 20;

const insertCommands = `insert into outbox (owner_id, command, ticket_id)
  select user_id, 'send', id from support_tickets where $1::uuid[] is null or id = any($1)`;

/** Milliseconds of each of `times` claims, with one command of each of `owners` waiting. */
export async function measureClaims(
  holder: Holder,
  serverUrl: string,
  owners: number,
  times: number,
): Promise<number[]> {
  const { database } = await openBenchDatabase(holder, serverUrl, 2);
  const { pool } = database;
  await pool.query(
    `insert into users (id, email, name, plan)
     select gen_random_uuid(), n || '@example.com', 'Owner', 'free' from generate_series(1, $1::int) n`,
    [owners],
  );
  await pool.query(
    `insert into support_tickets (id, user_id, type, reply_address, message, request_id)
     select gen_random_uuid(), id, 'technical', email, 'Help.', 'bench' from users`,
  );
  // As on a service whose queue was empty until now.
  await pool.query('vacuum analyze');
  await pool.query(insertCommands, [null]);
  const token = randomUUID();
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const start = performance.now();
    const claimed = await claimCommands(pool, LIMIT, 30, token);
    all.push(performance.now() - start);
    if (claimed.length !== LIMIT) throw new Error(`A claim got ${claimed.length} of ${LIMIT} commands.`);
    await removeCommands(
      pool,
      claimed.map(({ id }) => id),
      token,
    );
    await pool.query(insertCommands, [claimed.map(({ ticketId }) => ticketId)]);
  }
  return all;
}
