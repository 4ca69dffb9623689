/** Changed sources of a space, deleted ones included, the oldest change first. */
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Source } from '../../entities/source.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import { listedColumns, type SourceRow, sourceJoins } from './read-sources.ts';

const ofSpace = 's.space_id = $1 and s.owner_id = $2 and s.purging_at is null';
const oldestFirst = 'order by s.changed_minute, s.updated_at, s.id';

const byIds = statement<SourceRow>(
  'read-changed-sources',
  `select ${listedColumns} from sources s ${sourceJoins} where ${ofSpace} and s.id = any ($3::uuid[]) ${oldestFirst}`,
);

/** The sources of a space with these ids, as in lists. */
export async function readChangedSources(
  session: Session,
  of: { spaceId: string; ownerId: string },
  ids: string[],
): Promise<SourceRow[]> {
  return query(session, byIds, [of.spaceId, of.ownerId, ids]);
}

/**
 * A change becomes visible at its commit but has the time at which its transaction began. So readers go back by more
 * than the duration of a transaction.
 */
export const OVERLAP_SECONDS = 30;

/** Condition on the index of whole minutes, then on the exact time. */
const changedSince = (time: string) => {
  const earliest = `${time}::timestamptz - interval '${OVERLAP_SECONDS} seconds'`;
  return `s.changed_minute >= floor(extract(epoch from ${earliest}) / 60)::bigint and s.updated_at >= ${earliest}`;
};

export type ChangedRevision = ColumnsOf<typeof Source, 'id' | 'revision' | 'updatedAt'>;

const revisions = statement<ChangedRevision>(
  'list-changed-revisions',
  `select s.id, s.revision, s.updated_at as "updatedAt" from sources s
   where ${ofSpace} and ${changedSince('$3')} ${oldestFirst} limit $4`,
);

/** Revisions of the sources that changed after `after` minus OVERLAP_SECONDS, at most `limit` (null: all). */
export async function listChangedRevisions(
  session: Session,
  of: { spaceId: string; ownerId: string },
  after: Date,
  limit: number | null = null,
): Promise<ChangedRevision[]> {
  return query(session, revisions, [of.spaceId, of.ownerId, after, limit]);
}

const readLiveness = statement<{ now: Date; live: boolean }>(
  'look-at-space',
  'select now() as now, exists (select from spaces where id = $1 and deleted_at is null) as live',
);

/** The database's time, or null when the space is deleted. */
export async function databaseTimeOfLiveSpace(session: Session, spaceId: string): Promise<Date | null> {
  const found = await queryOne(session, readLiveness, [spaceId]);
  return found?.live === true ? found.now : null;
}
