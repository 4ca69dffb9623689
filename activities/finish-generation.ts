import type { GenerationRef, OwedPostback } from '../contract/commands.ts';
import { sourceErrors } from '../contract/errors.ts';
import type { GenerationEnd } from '../contract/resources.ts';
import type { SourceStatus } from '../contract/statuses.ts';
import { readOwedPostbacks } from '../db/queries/owed-postbacks.ts';
import { readGenerationTruth } from '../db/transitions/begin-generation.ts';
import { endGeneration } from '../db/transitions/end-generation.ts';
import type { Dependencies } from './dependencies.ts';

const unstorable = {
  code: 'internal',
  stage: 'finish',
  message: sourceErrors.internal.remedy,
  retryable: true,
} as const;

/** PostgreSQL's classes 22 (data exception) and 23 (integrity constraint violation). */
function isDataError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^2[23]/.test(error.code);
}

/**
 * Ends the generation, unless something else ended it before, and returns what is true now together with every
 * postback that the source owes.
 */
export async function finishGeneration(
  { config, database, logger, metrics }: Dependencies,
  ref: GenerationRef,
  wanted: GenerationEnd,
): Promise<{ status: SourceStatus; generation: number; owed: OwedPostback[] }> {
  let ending = wanted;
  let written: boolean;
  try {
    written = await endGeneration(database.pool, config.PUBLIC_URL, ref, ending);
  } catch (error) {
    // What the database refuses now it would refuse for ever: the source has to end all the same, with a reason.
    if (!isDataError(error) || wanted.status !== 'COMPLETED') throw error;
    logger.error({ event: 'generation.unstorable', ...ref, err: error });
    ending = {
      status: 'FAILED',
      error: { ...unstorable, message: `The results could not be stored. ${unstorable.message}` },
    };
    written = await endGeneration(database.pool, config.PUBLIC_URL, ref, ending);
  }
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
