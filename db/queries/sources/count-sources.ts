import type { SourceStatus, sourceStatuses } from '../../../contract/statuses.ts';
import { query, type Session, statement } from '../../sql.ts';

const byStatus = statement<{ status: SourceStatus; count: number }>(
  'count-sources-by-status',
  // The end statuses are counted by an index-only scan.
  `select status_group as status, count(*) as count from sources
   where space_id = $1 and deleted_at is null and status_group in ('COMPLETED', 'FAILED', 'CANCELED') group by status_group
   union all
   select status, count(*) from sources where space_id = $1 and deleted_at is null and status_group = 'OPEN' group by status`,
);

/** Number of live sources of a space by status, for all six statuses. */
export async function countSourcesByStatus(session: Session, spaceId: string): Promise<Record<SourceStatus, number>> {
  const rows = await query(session, byStatus, [spaceId]);
  const counts = { CREATED: 0, PENDING: 0, PROCESSING: 0, COMPLETED: 0, FAILED: 0, CANCELED: 0 } satisfies Record<
    (typeof sourceStatuses)[number],
    number
  >;
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}

const byCollection = statement<{ collectionId: string; count: number }>(
  'count-sources-by-collection',
  `select c.id as "collectionId", live.count
   from collections c
     cross join lateral (select count(*) from sources s where s.collection_id = c.id and s.deleted_at is null) live
   where c.space_id = $1 and live.count > 0`,
);

/** Number of live sources by collection id; collections without sources are left out. */
export async function countSourcesByCollection(session: Session, spaceId: string): Promise<Map<string, number>> {
  const rows = await query(session, byCollection, [spaceId]);
  return new Map(rows.map(({ collectionId, count }) => [collectionId, count]));
}
