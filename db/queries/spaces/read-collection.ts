import type { InferEntity } from '@mikro-orm/postgresql';
import type { Collection } from '../../entities/collection.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

export type CollectionRow = Omit<InferEntity<typeof Collection>, 'spaceId'> & { sourceCount: number };

const read = statement<CollectionRow>(
  'read-collection',
  `select c.id, c.name, c.parent_id as "parentId", c.created_at as "createdAt", c.updated_at as "updatedAt",
     (select count(*) from sources where collection_id = c.id and deleted_at is null) as "sourceCount"
   from collections c join spaces s on s.id = c.space_id
   where c.id = $1 and s.owner_id = $2 and s.deleted_at is null`,
);

/** A collection in a live space of this owner, or null. */
export async function readCollection(session: Session, ownerId: string, id: string): Promise<CollectionRow | null> {
  return queryOne(session, read, [id, ownerId]);
}
