import type { SourceStatus, sourceStatuses } from '../../contract/statuses.ts';
import { query, type Session, statement } from '../sql.ts';

const byStatus = statement<{ status: SourceStatus; count: number }>(
  'count-sources-by-status',
  'select status, count(*) as count from sources where space_id = $1 and deleted_at is null group by status',
);

/** Live sources of a space by status, all six. */
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
  `select collection_id as "collectionId", count(*) as count from sources
   where space_id = $1 and collection_id is not null and deleted_at is null group by collection_id`,
);

/** Live sources of each collection of a space that has any. */
export async function countSourcesByCollection(session: Session, spaceId: string): Promise<Map<string, number>> {
  const rows = await query(session, byCollection, [spaceId]);
  return new Map(rows.map(({ collectionId, count }) => [collectionId, count]));
}
