/** Repairs by the reconciler: a run that is gone gets a new generation, a delivery without a run gets a command. */
import { query, queryOne, type Session, statement } from '../sql.ts';
import { endGeneration } from './end-generation.ts';
import { startGeneration } from './start-generation.ts';

/** Repairs in a row, without a request by the user, before a source is given up. */
const MOST_REPAIRS = 3;

const lockRepairs = statement<{ repairs: number }>(
  'lock-repairs',
  `select g.repairs from sources s
   join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = $1 and s.generation = $2 and s.status in ('CREATED', 'PENDING', 'PROCESSING')
     and not exists (select from outbox o where o.source_id = s.id)
   for no key update of s`,
);

/**
 * Repairs a source whose run was found closed or missing while the row was in `generation`. Returns what was done,
 * or null when the row had moved on. `endRunId` is the run that was described, if there was one.
 */
export async function repairSource(
  session: Session,
  publicUrl: string,
  source: { sourceId: string; generation: number; endRunId: string | null },
): Promise<'restarted' | 'given_up' | null> {
  const present = await queryOne(session, lockRepairs, [source.sourceId, source.generation]);
  if (present === null) return null;
  if (present.repairs >= MOST_REPAIRS) {
    const ended = await endGeneration(session, publicUrl, source, {
      status: 'FAILED',
      error: {
        code: 'run_lost',
        stage: 'begin',
        message: `The run was lost ${MOST_REPAIRS + 1} times. Reprocess the source; if that fails again, tell the operator.`,
        retryable: true,
      },
    });
    if (!ended) return null;
    await requestDelivery(session, source.sourceId);
    return 'given_up';
  }
  const next = await startGeneration(session, {
    sourceId: source.sourceId,
    trigger: 'recovery',
    command: 'reprocess',
    onlyOpenGeneration: source.generation,
    ...(source.endRunId === null ? {} : { endRunId: source.endRunId }),
  });
  return next === null ? null : 'restarted';
}

const insertDeliver = statement<{ id: number }>(
  'insert-deliver-command',
  `insert into outbox (owner_id, source_id, command, generation)
   select s.owner_id, s.id, 'deliver', s.generation from sources s
   where s.id = $1 and exists (select from postbacks p where p.source_id = s.id and p.state = 'pending')
     and not exists (select from outbox o where o.source_id = s.id)
   returning id`,
);

/** Asks for a run that delivers what the source still owes. False when nothing is owed or a command is on its way. */
export async function requestDelivery(session: Session, sourceId: string): Promise<boolean> {
  return (await queryOne(session, insertDeliver, [sourceId])) !== null;
}

const checkedNow = statement(
  'mark-checked',
  `with checked as (update sources set checked_at = now() where id = $1)
   update postbacks set checked_at = now() where source_id = $1 and state = 'pending'`,
);

/** Notes that Temporal was asked about this source just now, so that others come first in the next round. */
export async function markChecked(session: Session, sourceId: string): Promise<void> {
  await query(session, checkedNow, [sourceId]);
}
