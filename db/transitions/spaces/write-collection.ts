/**
 * The tree of collections. Every write locks the space's row first, so that the checks of depth and cycles are
 * serialized. All functions run inside the caller's transaction.
 */
import { raw } from '@mikro-orm/postgresql';
import { Collection } from '../../entities/collection.ts';
import { type CollectionRow, readCollection } from '../../queries/spaces/read-collection.ts';
import { entityManager, query, queryOne, statement, type Transaction } from '../../sql.ts';

/** Limit of nested levels of collections. */
export const MAX_LEVELS = 32;

/** Limit of collections of a space, since the whole tree is read, sorted and sent in one response. */
export const MAX_COLLECTIONS = 10_000;

/** Why a parent cannot be used, or no further collection be created. */
export type CollectionProblem = 'unknown' | 'cycle' | 'too_deep' | 'too_many';

const lockSpace = statement<{ id: string }>(
  'lock-space-of-collections',
  'select id from spaces where id = $1 and owner_id = $2 and deleted_at is null for no key update',
);

const lockSpaceOf = statement<{ spaceId: string }>(
  'lock-space-of-collection',
  `select s.id as "spaceId" from collections c join spaces s on s.id = c.space_id
   where c.id = $1 and s.owner_id = $2 and s.deleted_at is null for no key update of s`,
);

// $3 is the collection that moves, null for a new one. `depth` counts from the top, the parent included; `height` is
// that of the moved subtree. UNION, not UNION ALL, so that even a corrupt tree terminates.
const placeUnder = statement<{ depth: number | null; inside: boolean; height: number }>(
  'place-under-collection',
  `with recursive up as (
     select id, parent_id, 1 as depth from collections where space_id = $1 and id = $2
     union
     select c.id, c.parent_id, up.depth + 1 from collections c join up on c.id = up.parent_id where up.depth <= 100
   ), down as (
     select $3::uuid as id, 1 as height
     union
     select c.id, down.height + 1 from collections c join down on c.parent_id = down.id where down.height <= 100
   )
   select (select max(depth) from up) as depth, exists (select from up where id = $3) as inside,
          (select max(height) from down) as height`,
);

async function parentProblem(
  session: Transaction,
  spaceId: string,
  parentId: string,
  moved: string | null,
): Promise<CollectionProblem | null> {
  const place = await queryOne(session, placeUnder, [spaceId, parentId, moved]);
  if (place === null || place.depth === null) return 'unknown';
  if (place.inside) return 'cycle';
  return place.depth + place.height > MAX_LEVELS ? 'too_deep' : null;
}

/** Inserts a collection. Null when the space is not a live one of this owner. */
export async function createCollection(
  session: Transaction,
  collection: { id: string; ownerId: string; spaceId: string; name: string; parentId: string | null },
): Promise<CollectionRow | { problem: CollectionProblem } | null> {
  const { id, ownerId, spaceId, name, parentId } = collection;
  if ((await queryOne(session, lockSpace, [spaceId, ownerId])) === null) return null;
  const em = entityManager(session);
  if ((await em.count(Collection, { spaceId })) >= MAX_COLLECTIONS) return { problem: 'too_many' };
  const problem = parentId === null ? null : await parentProblem(session, spaceId, parentId, null);
  if (problem !== null) return { problem };
  const created = em.create(Collection, { id, spaceId, name, parentId });
  await em.flush();
  return { ...created, sourceCount: 0 };
}

/** Renames or moves a collection; undefined fields stay. Null when it is not a collection of this owner. */
export async function updateCollection(
  session: Transaction,
  ownerId: string,
  id: string,
  { name, parentId }: { name?: string | undefined; parentId?: string | null | undefined },
): Promise<CollectionRow | { problem: CollectionProblem } | null> {
  const space = await queryOne(session, lockSpaceOf, [id, ownerId]);
  if (space === null) return null;
  const problem = typeof parentId === 'string' ? await parentProblem(session, space.spaceId, parentId, id) : null;
  if (problem !== null) return { problem };
  if (name !== undefined || parentId !== undefined) {
    const changes = { ...(name === undefined ? {} : { name }), ...(parentId === undefined ? {} : { parentId }) };
    await entityManager(session).nativeUpdate(Collection, { id }, { ...changes, updatedAt: raw('now()') });
  }
  return readCollection(session, ownerId, id);
}

const subtree = statement<{ id: string }>(
  'list-subtree',
  `with recursive down as (
     select id from collections where id = $1
     union
     select c.id from collections c join down on c.parent_id = down.id
   )
   select id from down`,
);

// Locked in the order of their ids, as in every write of several sources, to avoid deadlocks.
const takeOut = statement(
  'take-sources-out-of-collections',
  `with inside as (
     select id from sources where collection_id = any($1::uuid[]) order by id for no key update
   )
   update sources s set collection_id = null, revision = revision + 1, updated_at = now()
   from inside where s.id = inside.id`,
);

const lockCollections = statement(
  'lock-collections',
  'select id from collections where id = any($1::uuid[]) order by id for update',
);

/** Deletes a collection with its subtree; their sources stay in the space. False: not a collection of this owner. */
export async function deleteCollection(session: Transaction, ownerId: string, id: string): Promise<boolean> {
  if ((await queryOne(session, lockSpaceOf, [id, ownerId])) === null) return false;
  const ids = (await query(session, subtree, [id])).map((row) => row.id);
  if (ids.length === 0) return false;
  await query(session, takeOut, [ids]);
  // The lock waits for concurrent moves of sources into these collections; the second update finds those sources.
  await query(session, lockCollections, [ids]);
  await query(session, takeOut, [ids]);
  await entityManager(session).nativeDelete(Collection, { id: ids });
  return true;
}
