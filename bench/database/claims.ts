/** Duration of a claim while many owners have commands in the outbox. */
import { randomUUID } from 'node:crypto';
import { claimCommands, removeCommands } from '../../db/transitions/outbox/claim-commands.ts';
import type { Resources } from '../runs/stack.ts';
import { openBenchDatabase } from './side.ts';

/** Default claim size of a dispatcher. */
const LIMIT = 20;

/** The default quotas. */
const maxOpenRuns = { free: 20, pro: 1_000 };

const insertCommands = `insert into outbox (owner_id, source_id, command, generation)
  select owner_id, id, 'start', 1 from sources where $1::uuid[] is null or id = any($1)`;

/** Returns the milliseconds of each of `times` claims while the outbox holds one start command for each owner. */
export async function measureClaims(
  resources: Resources,
  serverUrl: string,
  owners: number,
  times: number,
): Promise<number[]> {
  const { database } = await openBenchDatabase(resources, serverUrl, 2);
  const { pool } = database;
  await pool.query(
    `insert into users (id, email, name, plan)
     select gen_random_uuid(), n || '@example.com', 'Owner', 'free' from generate_series(1, $1::int) n`,
    [owners],
  );
  await pool.query(
    `with space as (insert into spaces (id, owner_id, name) select gen_random_uuid(), id, 'Bench' from users returning *),
     source as (
       insert into sources (id, owner_id, space_id, type, name, name_derived, status, generation, initial_data, instructions, metadata)
       select gen_random_uuid(), owner_id, id, 'CONTENT', 'Text', false, 'CREATED', 1, '{"data": "Text."}', '{}', '{}' from space
       returning id)
     insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction, run_artifact_extraction)
     select gen_random_uuid(), id, 1, 'create', false, true, true from source`,
  );
  // Statistics as on a service whose outbox was empty until now.
  await pool.query('vacuum analyze');
  await pool.query(insertCommands, [null]);
  const token = randomUUID();
  const durations: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const start = performance.now();
    const claimed = await claimCommands(pool, LIMIT, 30, token, { maxOpenRuns });
    durations.push(performance.now() - start);
    if (claimed.length !== LIMIT) throw new Error(`A claim got ${claimed.length} of ${LIMIT} commands.`);
    await removeCommands(
      pool,
      claimed.map(({ id }) => id),
      token,
    );
    await pool.query(insertCommands, [claimed.map(({ sourceId }) => sourceId)]);
  }
  return durations;
}
