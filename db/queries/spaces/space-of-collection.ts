import { queryOne, type Session, statement } from '../../sql.ts';

const find = statement<{ spaceId: string }>(
  'space-of-collection',
  `select c.space_id as "spaceId" from collections c join spaces s on s.id = c.space_id
   where c.id = $1 and s.owner_id = $2 and s.deleted_at is null`,
);

/** The id of the collection's space, or null when it is deleted or not of this owner. */
export async function spaceOfCollection(session: Session, ownerId: string, id: string): Promise<string | null> {
  return (await queryOne(session, find, [id, ownerId]))?.spaceId ?? null;
}
