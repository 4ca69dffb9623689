import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

export interface LockedSource extends ColumnsOf<typeof Source, 'id' | 'spaceId' | 'type' | 'status' | 'externalId'> {
  deleted: boolean;
  /** The purge has begun: the source cannot be restored. */
  purging: boolean;
}

const lock = statement<LockedSource>(
  'lock-own-source',
  `select s.id, s.space_id as "spaceId", s.type, s.status, s.external_id as "externalId",
          s.deleted_at is not null as deleted, s.purging_at is not null as purging
   from sources s
   where s.id = $1 and s.owner_id = $2 and ($3::uuid is null or s.space_id = $3)
     and exists (select from spaces sp where sp.id = s.space_id and sp.deleted_at is null)
   for no key update of s`,
);

/**
 * Locks a source of this owner, deleted or not, until the transaction ends. Null when no live space (`spaceId`, if
 * given) has it.
 */
export async function lockSource(
  session: Session,
  ownerId: string,
  id: string,
  spaceId: string | null = null,
): Promise<LockedSource | null> {
  return queryOne(session, lock, [id, ownerId, spaceId]);
}
