/** Blocks runs in a stage of their first generation: a database trigger rejects the write that would follow. */
import type { Client } from '@temporalio/client';
import { sourceWorkflowId } from '../../contract/commands.ts';
import type { Stage } from '../../contract/statuses.ts';
import type { Database } from '../../db/orm.ts';
import { until } from './until.ts';

/** The activity that writes the begin of a stage, or for `finish` the end of the generation. */
const writers = {
  begin: 'beginGeneration',
  wait: 'awaitMembers',
  fetch: 'fetchContent',
  context: 'extractContent',
  artifacts: 'extractContent',
  finish: 'finishGeneration',
} as const satisfies Record<Stage, string>;

/** Returns a source name that makes `blockStages` block the source in this stage. */
export function blockedIn(stage: Stage): string {
  return `blocked in ${stage}`;
}

/** Installs the trigger that blocks sources named by `blockedIn` in this generation. Needs a private database. */
export async function blockStages({ pool }: Pick<Database, 'pool'>, generation = 1): Promise<void> {
  await pool.query(`
    create function refuse_stage() returns trigger language plpgsql as $$
    begin
      if exists (select from sources where id = new.source_id
        and name = 'blocked in ' || case when new.outcome is null then new.stage else 'finish' end)
      then raise exception 'refused by the test'; end if;
      return new;
    end $$`);
  await pool.query(`
    create trigger refuse_stage before update on source_generations for each row
    when (new.generation = ${generation} and new.stage is distinct from old.stage and new.outcome is distinct from 'SUPERSEDED')
    execute function refuse_stage()`);
}

/** Waits until the stage's activity has failed and is retried. `activity` defaults to that of most sources. */
export async function awaitBlocked(
  client: Client,
  sourceId: string,
  stage: Stage,
  activity: string = writers[stage],
): Promise<void> {
  await until(`the run is blocked in ${stage}`, async () => {
    const { raw } = await client.workflow.getHandle(sourceWorkflowId(sourceId)).describe();
    return raw.pendingActivities?.some(
      ({ activityType, lastFailure }) => activityType?.name === activity && lastFailure,
    );
  });
}

/** Removes the trigger, so that blocked runs continue. */
export async function unblockStages({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('drop trigger refuse_stage on source_generations; drop function refuse_stage()');
}
