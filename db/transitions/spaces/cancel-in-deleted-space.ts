/** Ends the open generations of a deleted space as CANCELED: in batches, or when their run begins. */
import type { GenerationRef, SpaceDeletion } from '../../../contract/commands.ts';
import { query, queryOne, statement, type Transaction } from '../../sql.ts';
import { endGeneration } from '../generations/end-generation.ts';
import { cancelSource } from '../sources/cancel-source.ts';

// A restore waits for this lock, and no batch follows the restore.
const lockDeletion = statement<{ id: string }>(
  'lock-space-deletion',
  'select id from spaces where id = $1 and deletion_id = $2 for share',
);

const openSources = statement<{ id: string }>(
  'list-open-sources-of-space',
  `select id from sources
   where space_id = $1 and status_group = 'OPEN' and deleted_at is null
     and ($2::uuid is null or id > $2)
   order by id limit $3`,
);

/**
 * Cancels the next `limit` open sources of a deleted space, in the order of their ids, after the id `after`. Returns
 * their ids, or null when the space was restored. Runs inside the caller's transaction.
 */
export async function cancelNextSources(
  session: Transaction,
  publicUrl: string,
  { spaceId, deletionId }: SpaceDeletion,
  after: string | null,
  limit: number,
): Promise<string[] | null> {
  if ((await queryOne(session, lockDeletion, [spaceId, deletionId])) === null) return null;
  const ids = (await query(session, openSources, [spaceId, after, limit])).map(({ id }) => id);
  for (const id of ids) await cancelSource(session, publicUrl, id);
  return ids;
}

const lockDeletedSpace = statement<{ id: string }>(
  'lock-deleted-space-of-source',
  `select sp.id from spaces sp join sources s on s.space_id = sp.id
   where s.id = $1 and sp.deleted_at is not null for share of sp`,
);

/**
 * Ends a generation whose space was deleted before its run began: the deletion did not see it, since both were written
 * concurrently. False: the space is live, or the generation had ended. Runs inside the caller's transaction.
 */
export async function cancelInDeletedSpace(
  session: Transaction,
  publicUrl: string,
  ref: GenerationRef,
): Promise<boolean> {
  if ((await queryOne(session, lockDeletedSpace, [ref.sourceId])) === null) return false;
  return (await endGeneration(session, publicUrl, ref, { status: 'CANCELED' })) !== null;
}
