import type { GenerationRef, PendingPostback } from '../contract/commands.ts';
import { sourceErrors } from '../contract/errors.ts';
import type { GenerationEnd } from '../contract/resources.ts';
import type { SourceStatus } from '../contract/statuses.ts';
import { readPendingPostbacks } from '../db/queries/postbacks/pending-postbacks.ts';
import { readCurrentGeneration } from '../db/transitions/generations/begin-generation.ts';
import { type Ended, endGeneration } from '../db/transitions/generations/end-generation.ts';
import { readFailure } from '../db/transitions/generations/record-progress.ts';
import type { Dependencies } from './runtime/dependencies.ts';

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

/** What is true of the source once its generation has ended. */
export interface Finished {
  status: SourceStatus;
  generation: number;
  owed: PendingPostback[];
}

/**
 * Ends the generation, unless something else ended it before, and returns what is true now together with the postbacks
 * that the source owes. `ending` null: it is known to have ended, and nothing is written.
 */
export async function finishGeneration(
  deps: Dependencies,
  ref: GenerationRef,
  ending: GenerationEnd | null,
): Promise<Finished> {
  const { pool } = deps.database;
  const written = ending === null ? null : await end(deps, ref, ending);
  if (written !== null) {
    const owed = written.owes ? await readPendingPostbacks(pool, ref.sourceId) : [];
    return { status: written.status, generation: ref.generation, owed };
  }
  const truth = await readCurrentGeneration(pool, ref);
  return {
    // Of a source that is gone: whatever this says, no row is left to disagree.
    status: truth?.status ?? ending?.status ?? 'CANCELED',
    generation: truth?.generation ?? ref.generation,
    owed: await readPendingPostbacks(pool, ref.sourceId),
  };
}

/** The failure with what its step has to tell users, which the run did not hear. */
async function withMessage(
  { pool }: Dependencies['database'],
  ref: GenerationRef,
  ending: GenerationEnd,
): Promise<GenerationEnd> {
  if (ending.status !== 'FAILED') return ending;
  const { error } = ending;
  const recorded = await readFailure(pool, ref);
  if (recorded === null || recorded.code !== error.code || recorded.stage !== error.stage) return ending;
  return { ...ending, error: { ...error, message: recorded.message } };
}

/** Returns the status that was written and what it left to do, or null when the generation was fenced out. */
async function end(
  { config, database, logger, metrics }: Dependencies,
  ref: GenerationRef,
  wanted: GenerationEnd,
): Promise<(Ended & { status: GenerationEnd['status'] }) | null> {
  let ending = await withMessage(database, ref, wanted);
  let written: Ended | null;
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
  return written && { ...written, status: ending.status };
}
