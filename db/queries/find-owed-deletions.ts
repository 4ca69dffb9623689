/** What a deletion still owes and no command asks for: the reconciler's questions about purges and deleted spaces. */
import type { PurgeSubject, SpaceDeletion } from '../../contract/commands.ts';
import { query, type Session, statement } from '../sql.ts';

const purges = statement<PurgeSubject>(
  'find-stalled-purges',
  `(select 'space' as of, s.id from spaces s
    where s.deleted_at is not null and s.purging_at < now() - make_interval(secs => $1)
      and not exists (select from outbox o where o.space_id = s.id and o.command = 'purge')
    order by s.purging_at limit $2)
   union all
   (select 'source', s.id from sources s
    where s.deleted_at is not null and s.purging_at < now() - make_interval(secs => $1)
      and s.checked_at < now() - make_interval(secs => $1)
      and not exists (select from outbox o where o.source_id = s.id and o.command = 'purge')
    order by s.checked_at limit $2)`,
);

/** Sources and spaces whose purge began `graceSeconds` ago and is not done, with no command on its way. */
export async function findStalledPurges(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<PurgeSubject[]> {
  return query(session, purges, [graceSeconds, limit]);
}

const deletions = statement<SpaceDeletion>(
  'find-stalled-space-deletions',
  `select sp.id as "spaceId", sp.deletion_id as "deletionId" from spaces sp
   where sp.deleted_at < now() - make_interval(secs => $1) and sp.purging_at is null
     and exists (select from sources s where s.space_id = sp.id and s.deleted_at is null
       and s.status in ('CREATED', 'PENDING', 'PROCESSING'))
     and not exists (select from outbox o where o.space_id = sp.id)
   order by sp.deleted_at limit $2`,
);

/** Spaces that were deleted `graceSeconds` ago and in which something still runs, with no command on its way. */
export async function findStalledSpaceDeletions(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<SpaceDeletion[]> {
  return query(session, deletions, [graceSeconds, limit]);
}
