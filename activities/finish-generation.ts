import type { GenerationRef, OwedPostback } from '../contract/commands.ts';
import type { GenerationEnd } from '../contract/resources.ts';
import type { SourceStatus } from '../contract/statuses.ts';
import { readOwedPostbacks } from '../db/queries/owed-postbacks.ts';
import { readGenerationTruth } from '../db/transitions/begin-generation.ts';
import { endGeneration } from '../db/transitions/end-generation.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Ends the generation, unless something else ended it before, and returns what is true now together with every
 * postback that the source owes.
 */
export async function finishGeneration(
  { config, database, logger, metrics }: Dependencies,
  ref: GenerationRef,
  ending: GenerationEnd,
): Promise<{ status: SourceStatus; generation: number; owed: OwedPostback[] }> {
  const written = await endGeneration(database.pool, config.PUBLIC_URL, ref, ending);
  const code = ending.status === 'FAILED' ? ending.error.code : '';
  if (written) metrics.generationsEnded.inc({ status: ending.status, code });
  logger.info({ event: written ? 'generation.ended' : 'generation.fenced_out', ...ref, status: ending.status, code });
  const truth = await readGenerationTruth(database.pool, ref);
  return {
    status: truth?.status ?? ending.status,
    generation: truth?.generation ?? ref.generation,
    owed: await readOwedPostbacks(database.pool, ref.sourceId),
  };
}
