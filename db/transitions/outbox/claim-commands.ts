/**
 * The outbox: commands are claimed with a lease, by turn and one per subject at a time, and removed after Temporal has
 * accepted them.
 */
import type { Plan, SourceType } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { OutboxCommand } from '../../entities/outbox-command.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';

/** A claimed command with its subject; fields that do not apply to the command are null. */
export interface ClaimedCommand
  extends ColumnsOf<
    typeof OutboxCommand,
    | 'id'
    | 'ownerId'
    | 'command'
    | 'endRunId'
    | 'refusals'
    | 'generation'
    | 'artifactId'
    | 'round'
    | 'ticketId'
    | 'deletionId'
  > {
  /** Number of claims, this one included. */
  attempts: number;
  /** The source of the command, or of the artifact that it is about. */
  sourceId: string | null;
  sourceType: SourceType | null;
  /** The name of the source or of the space, or the title of the artifact. */
  subject: string | null;
  /** The address of a URI source. */
  address: string | null;
  spaceId: string | null;
}

// The function lock_claimable_commands (Migration20261122191500_quotas) selects the commands. It sees rows committed
// after this statement's snapshot, which this statement does not: such a row is locked and left for the next claim.
// The sequence outbox_turn is the last claimed turn, from which new owners begin.
// The claim of a start makes a CREATED source PENDING and its run open; a composition's run is open only after its
// members have ended.
const claim = statement<ClaimedCommand>(
  'claim-commands',
  `with claimed as (
     update outbox o set available_at = now() + make_interval(secs => $2), lease_token = $3, attempts = attempts + 1
     where o.id = any(array(select lock_claimable_commands($1, $4, $5, $6)))
     returning o.*
   ), started as (
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
  // A plan cached while the queue was short would read all of it.
  { plannedByValues: true },
);

/** Limit of an owner's open runs, by plan. */
export type MaxOpenRuns = Readonly<Record<Plan, number>>;
const unlimited: MaxOpenRuns = { free: 2 ** 31 - 1, pro: 2 ** 31 - 1 };

/**
 * Claims up to `limit` due commands for `leaseSeconds`. Commands that start a generation are not claimed for
 * `fullOwners` and for owners with `maxOpenRuns` open runs.
 */
export async function claimCommands(
  session: Session,
  limit: number,
  leaseSeconds: number,
  leaseToken: string,
  { fullOwners = [], maxOpenRuns = unlimited }: { fullOwners?: string[]; maxOpenRuns?: MaxOpenRuns } = {},
): Promise<ClaimedCommand[]> {
  const { free, pro } = maxOpenRuns;
  return query(session, claim, [limit, leaseSeconds, leaseToken, fullOwners, free, pro]);
}

const dueStarts = statement<{ exist: boolean }>(
  'look-for-held-starts',
  `select exists (select from outbox where command in ('start', 'reprocess', 'refresh') and lease_token is null
     and available_at <= now()) as exist`,
  { plannedByValues: true },
);

/** Whether a command that starts a generation is due and not claimed, as for an owner at the limit. */
export async function hasDueStarts(session: Session): Promise<boolean> {
  return (await queryOne(session, dueStarts, []))?.exist ?? false;
}

const remove = statement<{ followed: boolean }>(
  'remove-commands',
  `with removed as (delete from outbox where id = any($1) and lease_token = $2 returning id, subject_id)
   select exists (select from removed r join outbox o on o.subject_id = r.subject_id and o.id > r.id) as followed`,
  { plannedByValues: true },
);

/**
 * Removes commands that Temporal has accepted, if `leaseToken` still has their lease. Returns whether a later command
 * of one of their subjects can be claimed now.
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

/** Postpones a command after a failure. Only rejections by Temporal are counted, not its unavailability. */
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
