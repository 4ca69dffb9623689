/**
 * The outbox: commands are claimed with a lease, in turns by owner and one of a subject at a time, and go when Temporal
 * has taken them.
 */
import type { Command } from '../../../contract/commands.ts';
import type { Plan, SourceType } from '../../../contract/statuses.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';

/** What a command is about; the columns that do not belong to it are null. */
export interface ClaimedCommand {
  id: number;
  ownerId: string;
  command: Command;
  endRunId: string | null;
  /** This one included. */
  attempts: number;
  refusals: number;
  /** Of a source, also where the command is about one of its artifacts. */
  sourceId: string | null;
  sourceType: SourceType | null;
  /** The name of the source or of the space, or the title of the artifact. */
  subject: string | null;
  /** Of a URI source. */
  address: string | null;
  spaceId: string | null;
  generation: number | null;
  artifactId: string | null;
  round: number | null;
  ticketId: string | null;
  deletionId: string | null;
}

// The function lock_claimable_commands (Migration20261122191500_quotas) chooses them. It sees what was committed since
// this statement began, which this statement does not: such a row is locked and left for the next claim.
// The queue's time, from which new owners begin, is the last turn that was claimed.
// A source that was CREATED for this very command is PENDING from here on. A run counts as open from here on; that of a
// composition only once its members have ended.
const claim = statement<ClaimedCommand>(
  'claim-commands',
  `with claimed as (
     update outbox o set available_at = now() + make_interval(secs => $2), lease_token = $3, attempts = attempts + 1
     where o.id = any(array(select lock_claimable_commands($1, $4, $5, $6)))
     returning o.*
   ), taken_up as (
     update sources s set
       status = 'PENDING', run_open = s.type <> 'COMPOSITION',
       revision = revision + (s.status = 'CREATED')::int,
       updated_at = case s.status when 'CREATED' then now() else updated_at end
     from claimed c where s.id = c.source_id and s.generation = c.generation and s.status in ('CREATED', 'PENDING')
       and c.command in ('start', 'reprocess', 'refresh') and (s.status = 'CREATED' or not s.run_open)
   ), advanced as materialized (
     select case when max(turn) > (select last_value from outbox_turn) then setval('outbox_turn', max(turn)) end
     from claimed
   )
   select c.id, c.owner_id as "ownerId", c.command, c.end_run_id as "endRunId", c.attempts, c.refusals, c.generation, c.round,
          c.artifact_id as "artifactId", c.ticket_id as "ticketId", c.deletion_id as "deletionId",
          s.id as "sourceId", s.type as "sourceType", coalesce(a.title, s.name, sp.name) as subject,
          case when s.type = 'URI' then s.initial_data ->> 'data' end as address,
          coalesce(sp.id, s.space_id) as "spaceId"
   from claimed c cross join advanced left join artifacts a on a.id = c.artifact_id
   left join sources s on s.id = coalesce(c.source_id, a.source_id) left join spaces sp on sp.id = c.space_id`,
  // A plan from when the queue was short would read all of it.
  { plannedByValues: true },
);

/** Runs that an owner may have open at once, by plan. */
export type MostOpenRuns = Readonly<Record<Plan, number>>;
const unlimited: MostOpenRuns = { free: 2 ** 31 - 1, pro: 2 ** 31 - 1 };

/**
 * Claims up to `limit` due commands for `leaseSeconds`; nobody else gets them before that. None that starts a generation
 * is claimed of `fullOwners`, or of an owner who has as many runs open as may be.
 */
export async function claimCommands(
  session: Session,
  limit: number,
  leaseSeconds: number,
  leaseToken: string,
  { fullOwners = [], mostOpenRuns = unlimited }: { fullOwners?: string[]; mostOpenRuns?: MostOpenRuns } = {},
): Promise<ClaimedCommand[]> {
  const { free, pro } = mostOpenRuns;
  return query(session, claim, [limit, leaseSeconds, leaseToken, fullOwners, free, pro]);
}

const due = statement<{ held: boolean }>(
  'look-for-held-starts',
  `select exists (select from outbox where command in ('start', 'reprocess', 'refresh') and lease_token is null
     and available_at <= now()) as held`,
  { plannedByValues: true },
);

/** Whether a command that starts a generation is due and not claimed. */
export async function holdsStarts(session: Session): Promise<boolean> {
  return (await queryOne(session, due, []))?.held ?? false;
}

const remove = statement<{ followed: boolean }>(
  'remove-commands',
  `with removed as (delete from outbox where id = any($1) and lease_token = $2 returning id, subject_id)
   select exists (select from removed r join outbox o on o.subject_id = r.subject_id and o.id > r.id) as followed`,
  { plannedByValues: true },
);

/**
 * Removes commands that Temporal has taken; a row whose lease went to another stays. Returns whether a later command of
 * one of their subjects waits, which can be claimed now.
 */
export async function removeCommands(session: Session, ids: number[], leaseToken: string): Promise<boolean> {
  return (await queryOne(session, remove, [ids, leaseToken]))?.followed ?? false;
}

const postpone = statement(
  'postpone-command',
  `update outbox set available_at = now() + make_interval(secs => $3), refusals = refusals + $4, last_error = $5,
     lease_token = null
   where id = $1 and lease_token = $2`,
);

/** Puts one command off after a failure. Only a refusal counts: being out of reach is nobody's fault. */
export async function postponeCommand(
  session: Session,
  id: number,
  leaseToken: string,
  failure: { delaySeconds: number; refused: boolean; message: string },
): Promise<void> {
  await query(session, postpone, [
    id,
    leaseToken,
    failure.delaySeconds,
    failure.refused ? 1 : 0,
    failure.message.slice(0, 1_000),
  ]);
}
