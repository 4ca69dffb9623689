import type { GenerationRef, OwedPostback } from '../contract/commands.ts';
import { readOwedPostbacks } from '../db/queries/owed-postbacks.ts';
import { transaction } from '../db/sql.ts';
import {
  type GenerationPlan,
  readGenerationTruth,
  beginGeneration as takeUp,
} from '../db/transitions/begin-generation.ts';
import { cancelInDeletedSpace } from '../db/transitions/cancel-in-deleted-space.ts';
import type { Dependencies } from './dependencies.ts';

export type { GenerationPlan };

/**
 * Takes a generation up as PROCESSING and returns what it is to do. `plan` is null when the generation has ended or
 * a newer one took its place: then only what the source still owes is left to do. One that was written beside the
 * deletion of its space ends here as CANCELED. `newest` is the source's generation, and below `ref`'s when a signal
 * named one that does not exist.
 */
export async function beginGeneration(
  { config, database, logger, metrics }: Dependencies,
  ref: GenerationRef,
): Promise<{ plan: GenerationPlan | null; newest: number; owed: OwedPostback[] }> {
  let plan = await takeUp(database.pool, ref);
  if (plan === null) {
    const canceled = await transaction(database, (session) => cancelInDeletedSpace(session, config.PUBLIC_URL, ref));
    if (canceled) metrics.generationsEnded.inc({ status: 'CANCELED', code: '' });
    // Its space may have been restored between the two.
    else plan = await takeUp(database.pool, ref);
  }
  logger.info({ event: plan ? 'generation.begun' : 'generation.fenced_out', ...ref });
  const truth = plan === null ? await readGenerationTruth(database.pool, ref) : null;
  return {
    plan,
    newest: truth?.generation ?? ref.generation,
    owed: await readOwedPostbacks(database.pool, ref.sourceId),
  };
}
