/**
 * The outbox: commands are claimed with a lease, in turns by owner and one of a subject at a time, and go when Temporal
 * has taken them.
 */
import type { Command } from '../../contract/commands.ts';
import type { SourceType } from '../../contract/statuses.ts';
import { query, queryOne, type Session, statement } from '../sql.ts';

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
  spaceId: string | null;
  generation: number | null;
  artifactId: string | null;
  round: number | null;
  ticketId: string | null;
  deletionId: string | null;
}

// The function lock_claimable_commands (Migration20261122125458_turns) chooses them. It sees what was committed since
// this statement began, which this statement does not: such a row is locked and left for the next claim.
// The queue's time, from which new owners begin, is the last turn that was claimed.
// A source that was CREATED for this very command is PENDING from here on.
const claim = statement<ClaimedCommand>(
  'claim-commands',
  `with claimed as (
     update outbox o set available_at = now() + make_interval(secs => $2), lease_token = $3, attempts = attempts + 1
     where o.id = any(array(select lock_claimable_commands($1, $4)))
     returning o.*
   ), taken_up as (
     update sources s set status = 'PENDING', revision = revision + 1, updated_at = now()
     from claimed c where s.id = c.source_id and s.generation = c.generation and s.status = 'CREATED'
   ), advanced as materialized (
     select case when max(turn) > (select last_value from outbox_turn) then setval('outbox_turn', max(turn)) end
     from claimed
   )
   select c.id, c.owner_id as "ownerId", c.command, c.end_run_id as "endRunId", c.attempts, c.refusals, c.generation, c.round,
          c.artifact_id as "artifactId", c.ticket_id as "ticketId", c.deletion_id as "deletionId",
          s.id as "sourceId", s.type as "sourceType", coalesce(a.title, s.name, sp.name) as subject,
          coalesce(sp.id, s.space_id) as "spaceId"
   from claimed c cross join advanced left join artifacts a on a.id = c.artifact_id
   left join sources s on s.id = coalesce(c.source_id, a.source_id) left join spaces sp on sp.id = c.space_id`,
  // A plan from when the queue was short would read all of it.
  { plannedByValues: true },
);

/**
 * Claims up to `limit` due commands for `leaseSeconds`; nobody else gets them before that. Of `fullOwners` none that
 * starts a generation is claimed.
 */
export async function claimCommands(
  session: Session,
  limit: number,
  leaseSeconds: number,
  leaseToken: string,
  fullOwners: string[] = [],
): Promise<ClaimedCommand[]> {
  return query(session, claim, [limit, leaseSeconds, leaseToken, fullOwners]);
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
