import type { EntityManager } from '@mikro-orm/postgresql';

/** How deep a collection lies in its space (1 at the top), or null when the space has no such collection. */
export async function collectionDepth(em: EntityManager, spaceId: string, id: string): Promise<number | null> {
  const rows = await em.execute<{ depth: number | null }[]>(
    `with recursive up as (
       select parent_id, 1 as depth from collections where space_id = ? and id = ?
       union all
       select c.parent_id, up.depth + 1 from collections c join up on c.id = up.parent_id
     )
     select max(depth)::int as depth from up`,
    [spaceId, id],
  );
  return rows[0]?.depth ?? null;
}
