/** The outbox: commands are claimed with a lease, in turns by owner, and go when Temporal has taken them. */
import type { Command } from '../../contract/commands.ts';
import type { SourceType } from '../../contract/statuses.ts';
import { query, type Session, statement } from '../sql.ts';

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

// The recursive part hops from owner to owner over the index, so a thousand rows of one owner cost as one.
// A source that was CREATED for this very command is PENDING from here on.
// Times are kept in milliseconds, rounded: one of just now may lie half a millisecond ahead.
const claim = statement<ClaimedCommand>(
  'claim-commands',
  `with recursive owners as (
     (select owner_id from outbox order by owner_id limit 1)
     union all
     select (select o.owner_id from outbox o where o.owner_id > owners.owner_id order by o.owner_id limit 1)
     from owners where owners.owner_id is not null
   ), due as (
     select mine.id, mine.turn, mine.available_at
     from owners cross join lateral (
       select first.id, first.available_at, row_number() over (order by first.available_at, first.id) as turn
       from (select o.id, o.available_at from outbox o
             where o.owner_id = owners.owner_id and o.available_at <= now() + interval '1 millisecond'
             order by o.available_at, o.id limit 4 * $1) first) mine
     where owners.owner_id is not null
     order by mine.turn, mine.available_at limit 4 * $1
   ), free as (
     select o.id from due join outbox o using (id)
     where o.available_at <= now() + interval '1 millisecond'
     order by due.turn, due.available_at limit $1 for update of o skip locked
   ), claimed as (
     update outbox o set available_at = now() + make_interval(secs => $2), lease_token = $3, attempts = attempts + 1
     from free where o.id = free.id
     returning o.*
   ), taken_up as (
     update sources s set status = 'PENDING', revision = revision + 1, updated_at = now()
     from claimed c where s.id = c.source_id and s.generation = c.generation and s.status = 'CREATED'
   )
   select c.id, c.owner_id as "ownerId", c.command, c.end_run_id as "endRunId", c.attempts, c.refusals, c.generation, c.round,
          c.artifact_id as "artifactId", c.ticket_id as "ticketId", c.deletion_id as "deletionId",
          s.id as "sourceId", s.type as "sourceType", coalesce(a.title, s.name, sp.name) as subject,
          coalesce(sp.id, s.space_id) as "spaceId"
   from claimed c left join artifacts a on a.id = c.artifact_id
   left join sources s on s.id = coalesce(c.source_id, a.source_id) left join spaces sp on sp.id = c.space_id`,
);

/** Claims up to `limit` due commands for `leaseSeconds`; nobody else gets them before that. */
export async function claimCommands(
  session: Session,
  limit: number,
  leaseSeconds: number,
  leaseToken: string,
): Promise<ClaimedCommand[]> {
  return query(session, claim, [limit, leaseSeconds, leaseToken]);
}

const remove = statement('remove-commands', 'delete from outbox where id = any($1) and lease_token = $2');

/** Removes commands that Temporal has taken; a row whose lease went to another stays. */
export async function removeCommands(session: Session, ids: number[], leaseToken: string): Promise<void> {
  await query(session, remove, [ids, leaseToken]);
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
