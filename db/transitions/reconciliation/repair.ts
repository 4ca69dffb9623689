/** Repairs by the reconciler: a lost run is replaced; an open run without a command's effect gets the command again. */
import type { GenerationRef } from '../../../contract/commands.ts';
import type { RecoveryCause } from '../../../contract/statuses.ts';
import { query, queryOne, type Session, statement, type Transaction } from '../../sql.ts';
import { endGeneration } from '../generations/end-generation.ts';
import { startGeneration } from '../generations/start-generation.ts';

/** Limit of consecutive repairs without a request by the user; after that the generation ends as FAILED. */
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
  /** The source's generation when it was read, before the run was described. */
  generation: number;
  /** The run that was described, if any: it is ended before the next one is started. */
  endRunId: string | null;
  /** The newest generation that the run shows: above the row's after the database was restored from a backup. */
  runGeneration: number | null;
}

/**
 * Replaces a lost run: starts a recovery, or ends the generation as FAILED with `run_lost` after MAX_REPAIRS. Returns
 * null, without a change, when the source has ended, has a newer generation, or has a command in the outbox.
 */
export async function repairSource(
  session: Transaction,
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
        message: `The run was lost ${MAX_REPAIRS + 1} times. Reprocess the source; if that fails again, contact the operator.`,
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
 * Requests a run that delivers the source's pending postbacks; the run `endRunId` is ended before. `generation` was
 * read before the run was described: the command of a newer one may have reached that run. False when no postback is
 * pending, a command is in the outbox, or the source has a newer generation.
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
 * Sends a signal to an open run again: `reprocess` with the source's generation, or `deliver`. False when that was done
 * less than `seconds` ago, a command is in the outbox, or the source has a newer generation.
 */
export async function remindRun(
  session: Session,
  { sourceId, generation }: { sourceId: string; generation: number },
  command: 'reprocess' | 'deliver',
  seconds: number,
): Promise<boolean> {
  return (await queryOne(session, remind, [sourceId, generation, command, seconds])) !== null;
}

const setStuckSince = statement(
  'note-stuckness',
  `update sources set stuck_since = case when $3 then now() end
   where id = $1 and generation = $2 and (stuck_since is null) = $3`,
);

/** Records since when a source's open run has only been failing, or clears that (`stuck` false). */
export async function noteStuck(
  session: Session,
  { sourceId, generation }: { sourceId: string; generation: number },
  stuck: boolean,
): Promise<void> {
  await query(session, setStuckSince, [sourceId, generation, stuck]);
}
