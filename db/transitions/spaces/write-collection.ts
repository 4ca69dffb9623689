/**
 * The tree of collections. Every write locks the space's row first, so that depth and cycles are judged one write at
 * a time, on what stays true. All of these run inside the caller's transaction.
 */
import { type CollectionRow, readCollection } from '../../queries/spaces/read-collection.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';

/** Levels of collections, one inside the other. */
export const MAX_LEVELS = 32;

/** The whole tree of a space is read, put into order and sent at once. */
export const MAX_COLLECTIONS = 10_000;

/** Why a parent cannot be taken, or no collection more. */
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
// that of the moved subtree. UNION, without ALL: not even a damaged tree makes this run for ever.
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
  session: Session,
  spaceId: string,
  parentId: string,
  moved: string | null,
): Promise<CollectionProblem | null> {
  const place = await queryOne(session, placeUnder, [spaceId, parentId, moved]);
  if (place === null || place.depth === null) return 'unknown';
  if (place.inside) return 'cycle';
  return place.depth + place.height > MAX_LEVELS ? 'too_deep' : null;
}

const countInSpace = statement<{ count: number }>(
  'count-collections-of-space',
  'select count(*) from collections where space_id = $1',
);

const insert = statement<CollectionRow>(
  'create-collection',
  `insert into collections (id, space_id, name, parent_id) values ($1, $2, $3, $4)
   returning id, name, parent_id as "parentId", 0 as "sourceCount", created_at as "createdAt", updated_at as "updatedAt"`,
);

/** Inserts a collection. Null: no live space of this owner. */
export async function createCollection(
  session: Session,
  collection: { id: string; ownerId: string; spaceId: string; name: string; parentId: string | null },
): Promise<CollectionRow | { problem: CollectionProblem } | null> {
  const { id, ownerId, spaceId, name, parentId } = collection;
  if ((await queryOne(session, lockSpace, [spaceId, ownerId])) === null) return null;
  const inSpace = await queryOne(session, countInSpace, [spaceId]);
  if (inSpace !== null && inSpace.count >= MAX_COLLECTIONS) return { problem: 'too_many' };
  const problem = parentId === null ? null : await parentProblem(session, spaceId, parentId, null);
  if (problem !== null) return { problem };
  return queryOne(session, insert, [id, spaceId, name, parentId]);
}

const update = statement<{ id: string }>(
  'update-collection',
  `update collections set name = coalesce($2, name), parent_id = case when $3 then $4 else parent_id end,
     updated_at = now()
   where id = $1 returning id`,
);

/** Renames or moves a collection; what is undefined stays. Null: no collection of this owner. */
export async function updateCollection(
  session: Session,
  ownerId: string,
  id: string,
  { name, parentId }: { name?: string | undefined; parentId?: string | null | undefined },
): Promise<CollectionRow | { problem: CollectionProblem } | null> {
  const space = await queryOne(session, lockSpaceOf, [id, ownerId]);
  if (space === null) return null;
  const problem = typeof parentId === 'string' ? await parentProblem(session, space.spaceId, parentId, id) : null;
  if (problem !== null) return { problem };
  if (name !== undefined || parentId !== undefined) {
    await query(session, update, [id, name ?? null, parentId !== undefined, parentId ?? null]);
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

// Locked in the order of their ids, as everything that writes several sources does.
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

const remove = statement<{ id: string }>('delete-collections', 'delete from collections where id = any($1::uuid[])');

/** Deletes a collection with those below it; their sources stay in the space. False: no collection of this owner. */
export async function deleteCollection(session: Session, ownerId: string, id: string): Promise<boolean> {
  if ((await queryOne(session, lockSpaceOf, [id, ownerId])) === null) return false;
  const ids = (await query(session, subtree, [id])).map((row) => row.id);
  if (ids.length === 0) return false;
  await query(session, takeOut, [ids]);
  // The lock waits for whoever is just putting a source into one of them; the second look finds that source.
  await query(session, lockCollections, [ids]);
  await query(session, takeOut, [ids]);
  await query(session, remove, [ids]);
  return true;
}
