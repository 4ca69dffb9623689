/** Shared by all stages: tries, cancellation, the fence check at the start, and failures. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type GenerationRef, progressLostFailure } from '../../contract/commands.ts';
import { SourceError, sourceErrors } from '../../contract/errors.ts';
import type { Stage } from '../../contract/statuses.ts';
import type { Fence } from '../../db/queries/generations/fenced-out.ts';
import { beginGeneration } from '../../db/transitions/generations/begin-generation.ts';
import { enterStage, type GenerationInput, recordFailure } from '../../db/transitions/generations/record-progress.ts';
import { dependencyTrouble } from '../../platform/dependency-trouble.ts';
import { kindOfError } from '../../platform/logger.ts';
import type { Dependencies } from './dependencies.ts';
import { superseded } from './fence-watch.ts';
import { isWait, withTries } from './tries.ts';

/** Limit of tries of an activity that fails unexpectedly or crashes its worker. */
export const MAX_TRIES = 10;

/** The failure of an activity whose row lacks what an earlier activity had stored. */
export function progressLost(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('The database has lost the result of an earlier stage.', progressLostFailure);
}

const MAX_MESSAGE_CHARACTERS = 1_000;

/** The message for users: well-formed Unicode, cut to 1,000 UTF-16 code units. */
export function messageFor(error: SourceError): string {
  return error.message.toWellFormed().slice(0, MAX_MESSAGE_CHARACTERS);
}

/**
 * The activity failure for a content error. Its specific message may quote user content, so Temporal gets only the code
 * and its remedy. The activity is not retried, unless `nextRetryDelayMs` is given.
 */
export function failureOf(
  error: SourceError,
  { stage, nextRetryDelayMs }: { stage?: Stage; nextRetryDelayMs?: number | undefined } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.code,
    message: sourceErrors[error.code].remedy,
    details: [{ retryable: error.retryable, ...(stage === undefined ? {} : { stage }) }],
    nonRetryable: nextRetryDelayMs === undefined,
    ...(nextRetryDelayMs === undefined ? {} : { nextRetryDelay: nextRetryDelayMs }),
    cause: error,
  });
}

/** The fence of a generation's writes. */
export function generationFence({ sourceId, generation }: GenerationRef): Fence {
  return { kind: 'generation', id: sourceId, number: generation };
}

/**
 * Runs a stage of a generation with heartbeats. `work` gets its input and a signal that is aborted when the run is
 * canceled, the generation is not the current one any more, or the worker shuts down.
 */
export async function runStage(
  deps: Dependencies,
  stage: Stage,
  ref: GenerationRef,
  work: (input: GenerationInput, signal: AbortSignal) => Promise<void>,
  { cannotCrashWorker = false } = {},
): Promise<void> {
  await withTries(deps, generationFence(ref), { maxTries: MAX_TRIES, cannotCrashWorker }, (signal) =>
    inStage(deps, stage, ref, signal, (input) => work(input, signal)),
  );
}

/** Runs a stage whose tries the caller counts: makes it the generation's `stage` and reads the input of `work`. */
export async function inStage<T>(
  deps: Dependencies,
  stage: Stage,
  ref: GenerationRef,
  signal: AbortSignal,
  work: (input: GenerationInput) => Promise<T>,
): Promise<T> {
  const stop = deps.metrics.stageDuration.startTimer({ stage });
  try {
    const input = await enter(deps, stage, ref);
    if (input === null) throw superseded();
    const result = await work(input);
    stop({ outcome: 'done' });
    return result;
  } catch (error) {
    stop({ outcome: outcomeOf(error, signal) });
    const { attempt } = activityInfo();
    const failed = sourceErrorOf(error);
    if (failed !== null) {
      const { code, cause } = failed;
      deps.logger.info({ event: 'stage.failed', ...ref, stage, attempt, code, cause: kindOfError(cause) });
      await recordFailure(deps.database.pool, ref, { code, stage, message: messageFor(failed) });
      throw error === failed ? failureOf(failed, { stage }) : error;
    }
    const isExpected = error instanceof ApplicationFailure || dependencyTrouble(error) !== null;
    if (!isExpected && !signal.aborted) {
      deps.logger.warn({ event: 'stage.error', ...ref, stage, attempt, err: error });
    }
    throw error;
  }
}

/** The content error of a failure: the error itself, or the cause of a failure with a retry delay. Else null. */
function sourceErrorOf(error: unknown): SourceError | null {
  if (error instanceof SourceError) return error;
  return error instanceof ApplicationFailure && error.cause instanceof SourceError ? error.cause : null;
}

/**
 * Returns the stage's input, or null when the generation is not the current one. If a failover has lost the write of
 * `begin`, that is repeated.
 */
async function enter({ database }: Dependencies, stage: Stage, ref: GenerationRef): Promise<GenerationInput | null> {
  const input = await enterStage(database.pool, ref, stage);
  if (input !== null) return input;
  return (await beginGeneration(database.pool, ref)) === null ? null : enterStage(database.pool, ref, stage);
}

/** Outcome label for metrics: waiting is not a failure of the stage. */
function outcomeOf(error: unknown, { aborted }: AbortSignal): 'canceled' | 'waiting' | 'failed' {
  if (aborted) return 'canceled';
  return isWait(error) ? 'waiting' : 'failed';
}
