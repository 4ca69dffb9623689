import type { PoolClient } from 'pg';

/** Inserts copies of a source with its generations but without runs. Must run in a transaction. Returns their ids. */
export async function copySources(
  session: Pick<PoolClient, 'query'>,
  sourceId: string,
  copies: number,
): Promise<string[]> {
  const { rows } = await session.query<{ id: string }>(
    `insert into sources (id, owner_id, space_id, type, name, name_derived, status, generation, initial_data,
       instructions, metadata)
     select gen_random_uuid(), owner_id, space_id, type, name, name_derived, status, generation, initial_data,
       instructions, metadata from sources s, generate_series(1, $2) where s.id = $1 returning id`,
    [sourceId, copies],
  );
  const ids = rows.map(({ id }) => id);
  await session.query(
    `insert into source_generations
     select (jsonb_populate_record(g, jsonb_build_object('id', gen_random_uuid(), 'source_id', copy))).*
     from source_generations g, unnest($2::uuid[]) as copy where g.source_id = $1`,
    [sourceId, ids],
  );
  return ids;
}
