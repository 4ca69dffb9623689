/** Deletion hides a source; until its purge has begun it can be brought back. */
import { query, queryOne, type Session, statement } from '../../sql.ts';
import { cancelSource } from './cancel-source.ts';

const hide = statement(
  'hide-source',
  'update sources set deleted_at = now(), revision = revision + 1, updated_at = now() where id = $1 and deleted_at is null',
);

/**
 * Cancels the source if it runs, so that its postback is owed, and hides it. Runs inside the caller's transaction,
 * which has locked the source.
 */
export async function deleteSource(session: Session, publicUrl: string, sourceId: string): Promise<void> {
  await cancelSource(session, publicUrl, sourceId);
  await query(session, hide, [sourceId]);
}

const show = statement<{ id: string }>(
  'restore-source',
  `update sources set deleted_at = null, revision = revision + 1, updated_at = now()
   where id = $1 and deleted_at is not null and purging_at is null returning id`,
);

/**
 * Shows a deleted source again. False: it is not deleted, or its purge has begun.
 * @throws the database's unique violation `sources_external_id_unique`.
 */
export async function restoreSource(session: Session, sourceId: string): Promise<boolean> {
  return (await queryOne(session, show, [sourceId])) !== null;
}
