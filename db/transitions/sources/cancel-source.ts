import type { SourceStatus } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import { query, queryOne, statement, type Transaction } from '../../sql.ts';
import { endGeneration } from '../generations/end-generation.ts';

const lockSource = statement<ColumnsOf<typeof Source, 'status' | 'generation' | 'ownerId'>>(
  'lock-source',
  'select status, generation, owner_id as "ownerId" from sources where id = $1 and deleted_at is null for no key update',
);

const insertCancel = statement(
  'insert-cancel-command',
  "insert into outbox (owner_id, source_id, command, generation) values ($1, $2, 'cancel', $3)",
);

/**
 * Ends the current generation as CANCELED and inserts the command `cancel` for its run. Returns the source's previous
 * status (nothing is written when that was an end status), or null when the source is gone. Runs inside the caller's
 * transaction.
 */
export async function cancelSource(
  session: Transaction,
  publicUrl: string,
  sourceId: string,
): Promise<SourceStatus | null> {
  const present = await queryOne(session, lockSource, [sourceId]);
  if (present === null) return null;
  if (await endGeneration(session, publicUrl, { sourceId, generation: present.generation }, { status: 'CANCELED' })) {
    await query(session, insertCancel, [present.ownerId, sourceId, present.generation]);
  }
  return present.status;
}
