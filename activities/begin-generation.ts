import type { GenerationRef, OwedPostback } from '../contract/commands.ts';
import { readOwedPostbacks } from '../db/queries/owed-postbacks.ts';
import { type GenerationPlan, beginGeneration as takeUp } from '../db/transitions/begin-generation.ts';
import type { Dependencies } from './dependencies.ts';

export type { GenerationPlan };

/**
 * Takes a generation up as PROCESSING and returns what it is to do. `plan` is null when the generation has ended or
 * a newer one took its place: then only what the source still owes is left to do.
 */
export async function beginGeneration(
  { database, logger }: Dependencies,
  ref: GenerationRef,
): Promise<{ plan: GenerationPlan | null; owed: OwedPostback[] }> {
  const plan = await takeUp(database.pool, ref);
  logger.info({ event: plan ? 'generation.begun' : 'generation.fenced_out', ...ref });
  return { plan, owed: await readOwedPostbacks(database.pool, ref.sourceId) };
}
