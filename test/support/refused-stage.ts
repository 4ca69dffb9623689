/** Runs that are held in a stage of their first generation: the database refuses what would take them on. */
import type { Client } from '@temporalio/client';
import { sourceWorkflowId } from '../../contract/commands.ts';
import type { Stage } from '../../contract/statuses.ts';
import type { Database } from '../../db/orm.ts';
import { until } from './until.ts';

/** The activity that writes that a stage has begun, or in `finish` that the generation has ended. */
const writers = {
  begin: 'beginGeneration',
  wait: 'awaitMembers',
  fetch: 'fetchContent',
  context: 'extractContent',
  artifacts: 'extractContent',
  finish: 'finishGeneration',
} as const satisfies Record<Stage, string>;

/** The name of a source that gets as far as this stage, and in its first generation no further. */
export function heldIn(stage: Stage): string {
  return `held in ${stage}`;
}

/** Has a database of a test's own refuse the stages of the sources that are named so, in this generation. */
export async function refuseStages({ pool }: Pick<Database, 'pool'>, generation = 1): Promise<void> {
  await pool.query(`
    create function refuse_stage() returns trigger language plpgsql as $$
    begin
      if exists (select from sources where id = new.source_id
        and name = 'held in ' || case when new.outcome is null then new.stage else 'finish' end)
      then raise exception 'refused by the test'; end if;
      return new;
    end $$`);
  await pool.query(`
    create trigger refuse_stage before update on source_generations for each row
    when (new.generation = ${generation} and new.stage is distinct from old.stage and new.outcome is distinct from 'SUPERSEDED')
    execute function refuse_stage()`);
}

/** Waits until Temporal tries the stage again and again; `activity` where it is another than that of most sources. */
export async function holdsIn(
  client: Client,
  sourceId: string,
  stage: Stage,
  activity: string = writers[stage],
): Promise<void> {
  await until(`the run is held in ${stage}`, async () => {
    const { raw } = await client.workflow.getHandle(sourceWorkflowId(sourceId)).describe();
    return raw.pendingActivities?.some(
      ({ activityType, lastFailure }) => activityType?.name === activity && lastFailure,
    );
  });
}

/** From here on the database refuses nothing, and what is held goes on. */
export async function allowStages({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('drop trigger refuse_stage on source_generations; drop function refuse_stage()');
}
