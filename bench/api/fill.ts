/** Creates spaces full of ended sources directly by SQL. */
import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Session, transaction } from '../../db/sql.ts';
import type { ApiBenchStack } from './stack.ts';

/** One source in 10 is FAILED, so that the bench can filter by status. */
const FAILED_EVERY = 10;

/**
 * Creates a space with `count` sources, one second apart. Returns its id and the ids of its first 1,000 sources.
 */
export async function fillSpace(
  { database, ownerId }: ApiBenchStack,
  count: number,
): Promise<{ spaceId: string; sourceIds: string[] }> {
  const spaceId = uuidv7();
  await transaction(database, async (session) => {
    await session.query("insert into spaces (id, owner_id, name) values ($1, $2, 'Full')", [spaceId, ownerId]);
    await insertSources(session, ownerId, spaceId, count);
  });
  await database.pool.query('vacuum analyze sources, source_generations');
  const { rows } = await database.pool.query('select id from sources where space_id = $1 order by id limit 1000', [
    spaceId,
  ]);
  return { spaceId, sourceIds: rows.map(({ id }) => String(id)) };
}

async function insertSources(session: Session, ownerId: string, spaceId: string, count: number): Promise<void> {
  const marker = randomUUID();
  await session.query(
    `insert into sources (id, owner_id, space_id, type, name, name_derived, status, generation, initial_data,
                          instructions, metadata, created_at, updated_at)
     select gen_random_uuid(), $1, $2, 'CONTENT', 'Source ' || n || ' ${marker}', false,
            case when n % ${FAILED_EVERY} = 0 then 'FAILED' else 'COMPLETED' end, 1,
            jsonb_build_object('data', repeat('Some words of the source. ', 40)), '{}', '{}',
            now() - make_interval(secs => n), now() - make_interval(secs => n)
     from generate_series(1, $3::int) n`,
    [ownerId, spaceId, count],
  );
  await session.query(
    `insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction,
                                     run_artifact_extraction, finished_at, outcome, error)
     select gen_random_uuid(), id, 1, 'create', false, true, true, now(), status,
            case when status = 'FAILED' then '{"code":"content_empty","stage":"context","message":"Empty.","retryable":false}'::jsonb end
     from sources where space_id = $1`,
    [spaceId],
  );
}
