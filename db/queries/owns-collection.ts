import { queryOne, type Session, statement } from '../sql.ts';

const find = statement<{ id: string }>(
  'owns-collection',
  `select c.id from collections c join spaces s on s.id = c.space_id
   where c.id = $1 and s.owner_id = $2 and s.deleted_at is null`,
);

/** Whether the collection lies in a live space of this owner. */
export async function ownsCollection(session: Session, ownerId: string, id: string): Promise<boolean> {
  return (await queryOne(session, find, [id, ownerId])) !== null;
}
