import type { Outcome, Trigger } from '../../contract/statuses.ts';
import type { Database } from '../../db/orm.ts';

interface GenerationRow {
  generation: number;
  trigger: Trigger;
  outcome: Outcome | null;
  repairs: number;
  cause: string | null;
}

/** Reads the generations of a source from the database, oldest first. */
export async function generationsOf({ pool }: Pick<Database, 'pool'>, sourceId: string): Promise<GenerationRow[]> {
  const { rows } = await pool.query<GenerationRow>(
    'select generation, trigger, outcome, repairs, cause from source_generations where source_id = $1 order by generation',
    [sourceId],
  );
  return rows;
}
