/** The members of a composition. Writers lock the space first, so that checks for cycles are serialized. */
import { query, queryOne, type Session, statement } from '../../sql.ts';

const lock = statement<{ id: string }>(
  'lock-space',
  'select id from spaces where id = $1 and owner_id = $2 and deleted_at is null for no key update',
);

/** Locks a live space of this owner until the transaction ends. False when it does not exist. */
export async function lockSpace(session: Session, ownerId: string, spaceId: string): Promise<boolean> {
  return (await queryOne(session, lock, [spaceId, ownerId])) !== null;
}

const liveMembers = statement<{ id: string }>(
  'live-members',
  'select id from sources where space_id = $1 and id = any($2::uuid[]) and deleted_at is null',
);

/** The first of these ids that is not a live source of the space, or null. */
export async function findUnknownMember(
  session: Session,
  spaceId: string,
  memberIds: string[],
): Promise<string | null> {
  const live = new Set((await query(session, liveMembers, [spaceId, memberIds])).map(({ id }) => id));
  return memberIds.find((id) => !live.has(id)) ?? null;
}

// Deleted compositions count: they may be restored.
const leadsTo = statement<{ root: string }>(
  'find-member-cycle',
  `with recursive below (root, id) as (
     select id, id from unnest($2::uuid[]) as id
     union
     select below.root, m.member_id from below join composition_members m on m.composition_id = below.id
     where m.member_id is not null
   ) select root from below where id = $1 limit 1`,
);

/** The first of these sources that is the composition itself or contains it at any depth, or null. */
export async function findCycle(session: Session, compositionId: string, memberIds: string[]): Promise<string | null> {
  return (await queryOne(session, leadsTo, [compositionId, memberIds]))?.root ?? null;
}

const removeMembers = statement<{ member_id: string | null; used_generation: number | null }>(
  'remove-members',
  'delete from composition_members where composition_id = $1 returning member_id, used_generation',
);

const insertMembers = statement(
  'insert-members',
  `insert into composition_members (composition_id, position, space_id, member_id, used_generation)
   select $1, m.position - 1, $2, m.id, m.used
   from unnest($3::uuid[], $4::int[]) with ordinality as m(id, used, position)`,
);

/**
 * Replaces a composition's members, in this order. `used_generation` of remaining members is kept, so that `stale` is
 * correct until the new result.
 */
export async function replaceMembers(
  session: Session,
  { id, spaceId }: { id: string; spaceId: string },
  memberIds: string[],
): Promise<void> {
  const before = await query(session, removeMembers, [id]);
  const used = new Map(before.map((member) => [member.member_id, member.used_generation]));
  await query(session, insertMembers, [id, spaceId, memberIds, memberIds.map((member) => used.get(member) ?? null)]);
}
