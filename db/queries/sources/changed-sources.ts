/** What changed in a space, deleted sources among it, the oldest change first. */
import { query, queryOne, type Session, statement } from '../../sql.ts';
import { listedColumns, type SourceRow, sourceJoins } from './read-sources.ts';

const ofSpace = 's.space_id = $1 and s.owner_id = $2 and s.purging_at is null';
const oldestFirst = 'order by s.changed_minute, s.updated_at, s.id';

const byIds = statement<SourceRow>(
  'read-changed-sources',
  `select ${listedColumns} from sources s ${sourceJoins} where ${ofSpace} and s.id = any ($3::uuid[]) ${oldestFirst}`,
);

/** These sources of a space, as lists show them. */
export async function readChangedSources(
  session: Session,
  of: { spaceId: string; ownerId: string },
  ids: string[],
): Promise<SourceRow[]> {
  return query(session, byIds, [of.spaceId, of.ownerId, ids]);
}

/**
 * A change is visible only once its transaction has ended, and bears the time of its beginning: so one looks back by
 * more than a transaction takes.
 */
export const OVERLAP_SECONDS = 30;

/** By the index of whole minutes, and then by the time itself. */
const changedSince = (time: string) => {
  const earliest = `${time}::timestamptz - interval '${OVERLAP_SECONDS} seconds'`;
  return `s.changed_minute >= floor(extract(epoch from ${earliest}) / 60)::bigint and s.updated_at >= ${earliest}`;
};

export interface ChangedRevision {
  id: string;
  revision: number;
  updatedAt: Date;
}

const revisions = statement<ChangedRevision>(
  'list-changed-revisions',
  `select s.id, s.revision, s.updated_at as "updatedAt" from sources s
   where ${ofSpace} and ${changedSince('$3')} ${oldestFirst} limit $4`,
);

/** The revisions of the sources, at most `limit` where one is given, that changed after this time or up to 30 s before. */
export async function listChangedRevisions(
  session: Session,
  of: { spaceId: string; ownerId: string },
  after: Date,
  limit: number | null = null,
): Promise<ChangedRevision[]> {
  return query(session, revisions, [of.spaceId, of.ownerId, after, limit]);
}

const look = statement<{ now: Date; live: boolean }>(
  'look-at-space',
  'select now() as now, exists (select from spaces where id = $1 and deleted_at is null) as live',
);

/** The database's time, or null when the space is there no longer. */
export async function databaseTimeOfLiveSpace(session: Session, spaceId: string): Promise<Date | null> {
  const found = await queryOne(session, look, [spaceId]);
  return found?.live === true ? found.now : null;
}
