import type { GenerationRef, PendingPostback } from '../contract/commands.ts';
import { sourceErrors } from '../contract/errors.ts';
import type { GenerationEnd } from '../contract/resources.ts';
import type { SourceStatus } from '../contract/statuses.ts';
import { readPendingPostbacks } from '../db/queries/postbacks/pending-postbacks.ts';
import { transaction } from '../db/sql.ts';
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

/** Current state of the source after its generation has ended. */
export interface Finished {
  status: SourceStatus;
  generation: number;
  /** The source's pending postbacks. */
  owed: PendingPostback[];
}

/**
 * Ends the generation, unless it has ended already, and returns the source's current state with its pending postbacks.
 * `ending` null: the generation is known to have ended, and nothing is written.
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
  const current = await readCurrentGeneration(pool, ref);
  return {
    // The fallbacks are for a source that is gone: no row is left to disagree with them.
    status: current?.status ?? ending?.status ?? 'CANCELED',
    generation: current?.generation ?? ref.generation,
    owed: await readPendingPostbacks(pool, ref.sourceId),
  };
}

/** The ending with the specific message of a failed activity, which is in the database and not in Temporal. */
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

/** Returns the written status and whether postbacks are pending, or null when the generation was fenced out. */
async function end(
  { config, database, logger, metrics }: Dependencies,
  ref: GenerationRef,
  wanted: GenerationEnd,
): Promise<(Ended & { status: GenerationEnd['status'] }) | null> {
  const write = (ending: GenerationEnd) =>
    transaction(database, (session) => endGeneration(session, config.PUBLIC_URL, ref, ending));
  let ending = await withMessage(database, ref, wanted);
  let written: Ended | null;
  try {
    written = await write(ending);
  } catch (error) {
    // A retry would fail in the same way, so the generation ends as FAILED, with a reason.
    if (!isDataError(error) || wanted.status !== 'COMPLETED') throw error;
    logger.error({ event: 'generation.unstorable', ...ref, err: error });
    ending = {
      status: 'FAILED',
      error: { ...unstorable, message: `The results could not be stored. ${unstorable.message}` },
    };
    written = await write(ending);
  }
  const code = ending.status === 'FAILED' ? ending.error.code : '';
  if (written) metrics.generationsEnded.inc({ status: ending.status, code });
  logger.info({ event: written ? 'generation.ended' : 'generation.fenced_out', ...ref, status: ending.status, code });
  return written && { ...written, status: ending.status };
}
