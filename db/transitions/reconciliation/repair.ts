/** What the reconciler does about a run: a lost one is replaced, one that did not hear a command is told again. */
import type { GenerationRef } from '../../../contract/commands.ts';
import type { RecoveryCause } from '../../../contract/statuses.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import { endGeneration } from '../generations/end-generation.ts';
import { startGeneration } from '../generations/start-generation.ts';

/** Repairs in a row, without a request by the user, before a source is given up. */
const MAX_REPAIRS = 3;

const lockRepairs = statement<{ repairs: number }>(
  'lock-repairs',
  `select g.repairs from sources s
   join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = $1 and s.generation = $2 and s.status in ('CREATED', 'PENDING', 'PROCESSING')
     and not exists (select from outbox o where o.source_id = s.id)
   for no key update of s`,
);

export interface LostRun {
  cause: RecoveryCause;
  sourceId: string;
  /** The row's, as it was read before the run was described. */
  generation: number;
  /** The run that was described, if there was one: it is ended before the next is started. */
  endRunId: string | null;
  /** The newest generation that the run showed: above the row's after the database was restored from a backup. */
  runGeneration: number | null;
}

/**
 * Repairs a source whose run was found lost while the row was in `generation`. Returns what was done, or null when
 * the row had moved on.
 */
export async function repairSource(
  session: Session,
  publicUrl: string,
  lost: LostRun,
): Promise<'restarted' | 'given_up' | null> {
  const { sourceId, generation, endRunId } = lost;
  const present = await queryOne(session, lockRepairs, [sourceId, generation]);
  if (present === null) return null;
  if (present.repairs >= MAX_REPAIRS) {
    const ended = await endGeneration(session, publicUrl, lost, {
      status: 'FAILED',
      error: {
        code: 'run_lost',
        stage: 'begin',
        message: `The run was lost ${MAX_REPAIRS + 1} times. Reprocess the source; if that fails again, tell the operator.`,
        retryable: true,
      },
    });
    if (ended === null) return null;
    await requestDelivery(session, lost, endRunId);
    return 'given_up';
  }
  const next = await startGeneration(session, {
    sourceId,
    trigger: 'recovery',
    cause: lost.cause,
    command: 'reprocess',
    onlyOpenGeneration: generation,
    above: lost.runGeneration ?? 0,
    ...(endRunId === null ? {} : { endRunId }),
  });
  return next === null ? null : 'restarted';
}

const insertDeliver = statement<{ id: number }>(
  'insert-deliver-command',
  `with source as (
     select id, owner_id, generation from sources where id = $1 and generation = $3 for no key update
   )
   insert into outbox (owner_id, source_id, command, generation, end_run_id)
   select s.owner_id, s.id, 'deliver', s.generation, $2 from source s
   where exists (select from postbacks p where p.source_id = s.id and p.state = 'pending')
     and not exists (select from outbox o where o.source_id = s.id)
   returning id`,
);

/**
 * Asks for a run that delivers what the source still owes, after the lost one was ended. `generation` was read before the
 * run was described: of a newer one its command may have reached that run. False when nothing is owed, a command is on
 * its way, or the row has moved on.
 */
export async function requestDelivery(
  session: Session,
  { sourceId, generation }: GenerationRef,
  endRunId: string | null,
): Promise<boolean> {
  return (await queryOne(session, insertDeliver, [sourceId, endRunId, generation])) !== null;
}

const remind = statement<{ id: number }>(
  'remind-run',
  `with reminded as (
     update sources s set reminded_at = now()
     where s.id = $1 and s.generation = $2 and not exists (select from outbox o where o.source_id = s.id)
       and (s.reminded_at is null or s.reminded_at < now() - make_interval(secs => $4))
     returning s.owner_id, s.id, s.generation
   )
   insert into outbox (owner_id, source_id, command, generation)
   select owner_id, id, $3, generation from reminded returning id`,
);

/**
 * Tells an open run again what it seems not to have heard: `reprocess` of the row's generation, or `deliver`. False
 * when that was done less than `seconds` ago, a command is on its way, or the row has moved on.
 */
export async function remindRun(
  session: Session,
  { sourceId, generation }: { sourceId: string; generation: number },
  command: 'reprocess' | 'deliver',
  seconds: number,
): Promise<boolean> {
  return (await queryOne(session, remind, [sourceId, generation, command, seconds])) !== null;
}

const noteStuckness = statement(
  'note-stuckness',
  `update sources set stuck_since = case when $3 then now() end
   where id = $1 and generation = $2 and (stuck_since is null) = $3`,
);

/** Notes since when a source's open run has been seen to do nothing but fail, or that it gets on. */
export async function noteStuck(
  session: Session,
  { sourceId, generation }: { sourceId: string; generation: number },
  stuck: boolean,
): Promise<void> {
  await query(session, noteStuckness, [sourceId, generation, stuck]);
}
