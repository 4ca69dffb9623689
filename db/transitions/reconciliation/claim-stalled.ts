/**
 * The reconciler's queries for stalled work. Each claims a batch and sets `checked_at` on its rows, so that other rows
 * come first in the next round.
 */
import type { ArtifactRound, PurgeSubject, SpaceDeletion } from '../../../contract/commands.ts';
import { query, type Session, statement } from '../../sql.ts';

export interface StalledSource {
  sourceId: string;
  generation: number;
  /** For how many seconds earlier checks have found its run only failing; null: not at the last check. */
  stuckSeconds: number | null;
  /** Whether the signal of the generation was sent to its run again. */
  reminded: boolean;
}

const sources = statement<StalledSource>(
  'claim-stalled-sources',
  `update sources set checked_at = now() where id in (
     select s.id from sources s
     where s.status_group = 'OPEN'
       and s.checked_at < now() - make_interval(secs => $1) and s.updated_at < now() - make_interval(secs => $1)
       and not exists (select from outbox o where o.source_id = s.id)
     order by s.checked_at limit $2 for no key update skip locked)
   returning id as "sourceId", generation, extract(epoch from now() - stuck_since)::float8 as "stuckSeconds", reminded_at is not null as reminded`,
);

/** Open sources without a change or a check for `graceSeconds` and without a command in the outbox. */
export async function claimStalledSources(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<StalledSource[]> {
  return query(session, sources, [graceSeconds, limit]);
}

export interface PendingDeliveries {
  sourceId: string;
  generation: number;
  /** Whether the source has ended; otherwise it is also checked as a stalled source. */
  ended: boolean;
  /** Number of pending postbacks of the source, including those that are not due. */
  pending: number;
  /** Delay of the most overdue postback in seconds. */
  lateSeconds: number;
  /** How many seconds ago `deliver` was sent to its run, if that was after the postback was due; else null. */
  remindedSeconds: number | null;
}

const deliveries = statement<PendingDeliveries>(
  'claim-stalled-postbacks',
  `with stalled as (
     select p.id from postbacks p
     where p.state = 'pending' and p.next_attempt_at < now() - make_interval(secs => $1)
       and p.checked_at < now() - make_interval(secs => $1)
       and not exists (select from outbox o where o.source_id = p.source_id)
     order by p.checked_at limit $2 for no key update skip locked
   ), checked as (
     update postbacks p set checked_at = now() from stalled where p.id = stalled.id
     returning p.source_id, p.next_attempt_at
   )
   select s.id as "sourceId", s.generation, s.status not in ('CREATED', 'PENDING', 'PROCESSING') as ended,
          (select count(*)::int from postbacks o where o.source_id = s.id and o.state = 'pending') as pending,
          extract(epoch from now() - min(checked.next_attempt_at))::float8 as "lateSeconds",
          case when s.reminded_at > min(checked.next_attempt_at)
            then extract(epoch from now() - s.reminded_at)::float8 end as "remindedSeconds"
   from checked join sources s on s.id = checked.source_id group by s.id`,
);

/** Sources with a postback that is overdue by `graceSeconds`, without a command in the outbox. */
export async function claimStalledPostbacks(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<PendingDeliveries[]> {
  return query(session, deliveries, [graceSeconds, limit]);
}

const artifacts = statement<ArtifactRound>(
  'claim-stalled-artifacts',
  `update artifacts set checked_at = now() where id in (
     select a.id from artifacts a
     where a.status = 'PROCESSING' and a.checked_at < now() - make_interval(secs => $1)
       and not exists (select from outbox o where o.artifact_id = a.id)
     order by a.checked_at limit $2 for no key update skip locked)
   returning id as "artifactId", round`,
);

/** PROCESSING artifacts that were not checked for `graceSeconds`, without a command in the outbox. */
export async function claimStalledArtifacts(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<ArtifactRound[]> {
  return query(session, artifacts, [graceSeconds, limit]);
}

const tickets = statement<{ ticketId: string }>(
  'claim-stalled-tickets',
  `update support_tickets set checked_at = now() where id in (
     select t.id from support_tickets t
     where t.status = 'PENDING' and t.checked_at < now() - make_interval(secs => $1)
       and not exists (select from outbox o where o.ticket_id = t.id)
     order by t.checked_at limit $2 for no key update skip locked)
   returning id as "ticketId"`,
);

/** Pending tickets that were not checked for `graceSeconds`, without a command in the outbox. */
export async function claimStalledTickets(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<{ ticketId: string }[]> {
  return query(session, tickets, [graceSeconds, limit]);
}

const purges = statement<PurgeSubject>(
  'claim-stalled-purges',
  `with claimed as (
     update sources set checked_at = now() where id in (
       select s.id from sources s
       where s.deleted_at is not null and s.purging_at < now() - make_interval(secs => $1)
         and s.checked_at < now() - make_interval(secs => $1)
         and not exists (select from outbox o where o.source_id = s.id and o.command = 'purge')
       order by s.checked_at limit $2 for no key update skip locked)
     returning id
   ), stalled_spaces as (
     select s.id from spaces s
     where s.deleted_at is not null and s.purging_at < now() - make_interval(secs => $1)
       and not exists (select from outbox o where o.space_id = s.id and o.command = 'purge')
     order by s.purging_at limit $2
   )
   select 'source' as of, id from claimed union all select 'space', id from stalled_spaces`,
);

/**
 * Sources and spaces whose purge began `graceSeconds` ago and is not done, without a command in the outbox; up to
 * `limit` of each. Spaces are not claimed: a repeated call returns them again.
 */
export async function claimStalledPurges(
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
       and s.status_group = 'OPEN')
     and not exists (select from outbox o where o.space_id = sp.id)
   order by sp.deleted_at limit $2`,
);

/**
 * Spaces that were deleted `graceSeconds` ago and still have open sources, without a command in the outbox. They are
 * not claimed: a repeated call returns them again.
 */
export async function findStalledSpaceDeletions(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<SpaceDeletion[]> {
  return query(session, deletions, [graceSeconds, limit]);
}
