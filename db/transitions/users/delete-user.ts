/**
 * The deletion of a user with all data. It begins with the mark `deleting_at`: from then on no key is valid, and the
 * reconciler removes the data, the user's row last. Each step is idempotent and may stop anywhere.
 */
import { query, queryOne, type Session, statement } from '../../sql.ts';

// Deleting the keys waits for requests that have locked them, and no later one begins. Pending tickets are not sent.
const mark = statement<{ deletingAt: Date }>(
  'mark-user-deleting',
  `with marked as (
     update users set disabled_at = coalesce(disabled_at, now()), deleting_at = coalesce(deleting_at, now()),
       updated_at = now()
     where id = $1 returning id, deleting_at
   ), keys as (
     delete from api_keys k using marked where k.user_id = marked.id
   ), tickets as (
     delete from support_tickets t using marked where t.user_id = marked.id
   )
   select deleting_at as "deletingAt" from marked`,
);

/** Begins the deletion: deletes the user's keys and returns the time of the mark. Null when the user does not exist. */
export async function markUserDeleting(session: Session, userId: string): Promise<Date | null> {
  return (await queryOne(session, mark, [userId]))?.deletingAt ?? null;
}

export interface RemainingUserData {
  spaces: number;
  sources: number;
  uploads: number;
}

const countRemaining = statement<RemainingUserData>(
  'count-left-of-user',
  `select (select count(*) from spaces where owner_id = u.id) as spaces,
     (select count(*) from sources where owner_id = u.id) as sources,
     (select count(*) from uploads where owner_id = u.id) as uploads
   from users u where u.id = $1`,
);

/** Counts the remaining data of a user, deleted data included. Null when the user's row is gone. */
export async function countRemainingUserData(session: Session, userId: string): Promise<RemainingUserData | null> {
  return queryOne(session, countRemaining, [userId]);
}

const deleting = statement<{ userId: string }>(
  'find-deleting-users',
  'select id as "userId" from users where deleting_at is not null order by deleting_at limit $1',
);

/** Users whose deletion has begun and is not done, the oldest first. A repeated call returns them again. */
export async function findDeletingUsers(session: Session, limit: number): Promise<{ userId: string }[]> {
  return query(session, deleting, [limit]);
}

const startPurges = statement<{ id: string }>(
  'start-purges-of-user',
  `with marked as (
     update spaces sp set deleted_at = coalesce(sp.deleted_at, now()), purging_at = now(),
       deletion_id = coalesce(sp.deletion_id, gen_random_uuid())
     from users u where u.id = $1 and u.deleting_at is not null and sp.owner_id = u.id and sp.purging_at is null
     returning sp.id, sp.owner_id
   )
   insert into outbox (owner_id, command, space_id) select owner_id, 'purge', id from marked returning space_id as id`,
);

/** Starts the purge of every space of a user who is being deleted; returns the ids of those spaces. */
export async function startPurgesOfUser(session: Session, userId: string): Promise<string[]> {
  return (await query(session, startPurges, [userId])).map(({ id }) => id);
}

export interface UploadOfUser {
  id: string;
  /** The prefix of the upload's keys. */
  folder: string;
}

const uploads = statement<UploadOfUser>(
  'list-uploads-of-deleting-user',
  `select u.id, substring(u.file_key from '^uploads/[^/]+/') as folder from uploads u join users o on o.id = u.owner_id
   where o.id = $1 and o.deleting_at is not null and not exists (select from sources s where s.upload_id = u.id)
   order by u.id limit $2`,
);

/** Up to `limit` uploads of a user who is being deleted that no source uses. */
export async function listUploadsOfUser(session: Session, userId: string, limit: number): Promise<UploadOfUser[]> {
  return query(session, uploads, [userId, limit]);
}

const removeUploadRows = statement(
  'remove-uploads-of-user',
  `delete from uploads u where u.owner_id = $1 and u.id = any($2::uuid[])
     and not exists (select from sources s where s.upload_id = u.id)`,
);

/** Removes the rows of uploads whose objects are gone. */
export async function removeUploadsOfUser(session: Session, userId: string, ids: string[]): Promise<void> {
  await query(session, removeUploadRows, [userId, ids]);
}

const lockUser = statement<{ id: string }>(
  'lock-deleting-user',
  'select id from users where id = $1 and deleting_at is not null for update',
);

// A separate statement after the lock: its snapshot includes commits during the wait for the lock.
const removeRow = statement<{ id: string }>(
  'remove-deleted-user',
  `with gone as (
     delete from users u where u.id = $1
       and not exists (select from spaces where owner_id = u.id) and not exists (select from uploads where owner_id = u.id)
     returning id
   ), budget as (
     delete from rate_limits r using gone where r.key = 'owner:' || gone.id
   )
   insert into tombstones (of, id) select 'user', id from gone on conflict (of, id) do update set created_at = now()
   returning id`,
);

/**
 * Removes the user's row, and with it stored responses, tickets and keys. False when a request that began before the
 * deletion has created a space or an upload meanwhile. Runs inside the caller's transaction.
 */
export async function removeUser(session: Session, userId: string): Promise<boolean> {
  if ((await queryOne(session, lockUser, [userId])) === null) return false;
  return (await queryOne(session, removeRow, [userId])) !== null;
}
