import type { GenerationRef, OwedPostback } from '../contract/commands.ts';
import { readOwedPostbacks } from '../db/queries/owed-postbacks.ts';
import {
  type GenerationPlan,
  readGenerationTruth,
  beginGeneration as takeUp,
} from '../db/transitions/begin-generation.ts';
import type { Dependencies } from './dependencies.ts';

export type { GenerationPlan };

/**
 * Takes a generation up as PROCESSING and returns what it is to do. `plan` is null when the generation has ended or
 * a newer one took its place: then only what the source still owes is left to do. `newest` is the source's generation,
 * and below `ref`'s when a signal named one that does not exist.
 */
export async function beginGeneration(
  { database, logger }: Dependencies,
  ref: GenerationRef,
): Promise<{ plan: GenerationPlan | null; newest: number; owed: OwedPostback[] }> {
  const plan = await takeUp(database.pool, ref);
  logger.info({ event: plan ? 'generation.begun' : 'generation.fenced_out', ...ref });
  const truth = plan === null ? await readGenerationTruth(database.pool, ref) : null;
  return {
    plan,
    newest: truth?.generation ?? ref.generation,
    owed: await readOwedPostbacks(database.pool, ref.sourceId),
  };
}
