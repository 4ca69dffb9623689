/** Spaces as their owner makes, changes, deletes and restores them. */
import { queryOne, type Session, statement } from '../../sql.ts';

export interface SpaceRow {
  id: string;
  name: string;
  description: string;
  createdAt: Date;
  updatedAt: Date;
}

const columns = 'id, name, description, created_at as "createdAt", updated_at as "updatedAt"';

const insert = statement<SpaceRow>(
  'create-space',
  `insert into spaces (id, owner_id, name, description) values ($1, $2, $3, $4) returning ${columns}`,
);

/** Inserts a space. */
export async function createSpace(
  session: Session,
  space: { id: string; ownerId: string; name: string; description: string },
): Promise<SpaceRow> {
  const row = await queryOne(session, insert, [space.id, space.ownerId, space.name, space.description]);
  if (row === null) throw new Error('An insert returns its row.');
  return row;
}

const update = statement<SpaceRow>(
  'update-space',
  `update spaces set name = $3, description = $4, updated_at = now()
   where id = $1 and owner_id = $2 and deleted_at is null returning ${columns}`,
);

/** Replaces what the owner wrote. Null: no live space of this owner. */
export async function updateSpace(
  session: Session,
  ownerId: string,
  id: string,
  { name, description }: { name: string; description: string },
): Promise<SpaceRow | null> {
  return queryOne(session, update, [id, ownerId, name, description]);
}

// The deletion hides the space and all in it by this mark alone; what runs is canceled by the command's run.
const markDeleted = statement<{ id: string }>(
  'delete-space',
  `with deleted as (
     update spaces set deleted_at = now(), deletion_id = gen_random_uuid()
     where id = $1 and owner_id = $2 and deleted_at is null
     returning id, owner_id, deletion_id
   )
   insert into outbox (owner_id, command, space_id, deletion_id)
   select owner_id, 'cancel_sources', id, deletion_id from deleted returning space_id as id`,
);

/** Deletes a space until it is restored or purged. False: no live space of this owner. */
export async function deleteSpace(session: Session, ownerId: string, id: string): Promise<boolean> {
  return (await queryOne(session, markDeleted, [id, ownerId])) !== null;
}

const restore = statement<SpaceRow>(
  'restore-space',
  `update spaces set deleted_at = null, deletion_id = null
   where id = $1 and owner_id = $2 and deleted_at is not null and purging_at is null returning ${columns}`,
);

const readLive = statement<SpaceRow>(
  'read-live-space',
  `select ${columns} from spaces where id = $1 and owner_id = $2 and deleted_at is null`,
);

/**
 * Shows a deleted space again; a live one is returned as it is. Clearing the deletion's id stops its run. Null: no
 * space of this owner, or its purge has begun.
 */
export async function restoreSpace(session: Session, ownerId: string, id: string): Promise<SpaceRow | null> {
  return (await queryOne(session, restore, [id, ownerId])) ?? queryOne(session, readLive, [id, ownerId]);
}
