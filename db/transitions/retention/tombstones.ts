/** Tombstones: ids of purged sources, spaces and users, kept until Temporal shows no execution of them. */
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Tombstone as TombstoneEntity } from '../../entities/tombstone.ts';
import { query, type Session, statement } from '../../sql.ts';

export type Tombstone = ColumnsOf<typeof TombstoneEntity, 'of' | 'id'>;

const due = statement<Tombstone>(
  'list-due-tombstones',
  `select of, id from tombstones where created_at < now() - make_interval(secs => $1) order by created_at limit $2`,
);

/** Up to `limit` tombstones older than `afterSeconds`, the oldest first. */
export async function listDueTombstones(session: Session, afterSeconds: number, limit: number): Promise<Tombstone[]> {
  return query(session, due, [afterSeconds, limit]);
}

const remove = statement(
  'remove-tombstones',
  'delete from tombstones t using unnest($1::text[], $2::uuid[]) as gone(of, id) where (t.of, t.id) = (gone.of, gone.id)',
);

/** Removes tombstones. */
export async function removeTombstones(session: Session, tombstones: Tombstone[]): Promise<void> {
  await query(session, remove, [tombstones.map(({ of }) => of), tombstones.map(({ id }) => id)]);
}
