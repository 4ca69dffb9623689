/** Deletion hides a source; it can be restored until its purge begins. */
import { query, queryOne, type Session, statement, type Transaction } from '../../sql.ts';
import { cancelSource } from './cancel-source.ts';

const hide = statement(
  'hide-source',
  'update sources set deleted_at = now(), revision = revision + 1, updated_at = now() where id = $1 and deleted_at is null',
);

/**
 * Cancels the source if it is open, so that its postback is pending, and hides it. Runs inside the caller's
 * transaction, which has locked the source.
 */
export async function deleteSource(session: Transaction, publicUrl: string, sourceId: string): Promise<void> {
  await cancelSource(session, publicUrl, sourceId);
  await query(session, hide, [sourceId]);
}

const show = statement<{ id: string }>(
  'restore-source',
  `update sources set deleted_at = null, revision = revision + 1, updated_at = now()
   where id = $1 and deleted_at is not null and purging_at is null returning id`,
);

/**
 * Restores a deleted source. False: it is not deleted, or its purge has begun.
 * @throws the database's unique violation `sources_external_id_unique`.
 */
export async function restoreSource(session: Session, sourceId: string): Promise<boolean> {
  return (await queryOne(session, show, [sourceId])) !== null;
}
