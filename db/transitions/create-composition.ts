import { query, queryOne, type Session, statement } from '../sql.ts';
import { createSource, type NewSource } from './create-source.ts';

const lockSpace = statement<{ id: string }>(
  'lock-space',
  'select id from spaces where id = $1 and owner_id = $2 and deleted_at is null for no key update',
);

const liveMembers = statement<{ id: string }>(
  'live-members',
  'select id from sources where space_id = $1 and id = any($2::uuid[]) and deleted_at is null',
);

const insertMembers = statement(
  'insert-members',
  `insert into composition_members (composition_id, position, space_id, member_id)
   select $1, m.position - 1, $2, m.id from unnest($3::uuid[]) with ordinality as m(id, position)`,
);

/**
 * Inserts a composition with its members, in their order. Returns the members that are no live sources of the space
 * (nothing is written then), or null when the space is gone. Runs inside the caller's transaction; the space's lock
 * makes members change one at a time, so that cycles are judged on what stays true.
 */
export async function createComposition(
  session: Session,
  source: NewSource,
  memberIds: string[],
): Promise<{ unknown: string[] } | null> {
  if ((await queryOne(session, lockSpace, [source.spaceId, source.ownerId])) === null) return null;
  const live = new Set((await query(session, liveMembers, [source.spaceId, memberIds])).map(({ id }) => id));
  const unknown = memberIds.filter((id) => !live.has(id.toLowerCase()));
  if (unknown.length > 0) return { unknown };
  if (!(await createSource(session, source))) return null;
  await query(session, insertMembers, [source.id, source.spaceId, memberIds]);
  return { unknown: [] };
}
