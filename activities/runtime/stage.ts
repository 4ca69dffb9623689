/** What every step of the pipeline shares: tries, cancellation, the fence at its door, and its failures. */
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

/** Of a step that fails for a reason that nobody foresaw, or whose worker ends with it. */
export const MAX_TRIES = 10;

/** Ends a step that finds less in its row than the steps before it had stored. */
export function progressLost(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('The database has lost what an earlier step stored.', progressLostFailure);
}

const MAX_MESSAGE_CHARACTERS = 1_000;

/** What a failure has to tell users. */
export function messageFor(error: SourceError): string {
  return error.message.toWellFormed().slice(0, MAX_MESSAGE_CHARACTERS);
}

/**
 * A failure that ends as users read it. Its particular message may quote them, so it does not travel through Temporal: the
 * run gets the code and its remedy. Steps are not tried again for it, unless they say when.
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

/** What the writes of a step are fenced by. */
export function generationFence({ sourceId, generation }: GenerationRef): Fence {
  return { kind: 'generation', id: sourceId, number: generation };
}

/**
 * Runs a stage of a generation with heartbeats, and hands `work` what it works on and a signal that is aborted when
 * the run is canceled, the generation is not the current one any more, or the worker shuts down.
 */
export async function runStage(
  deps: Dependencies,
  stage: Stage,
  ref: GenerationRef,
  work: (input: GenerationInput, signal: AbortSignal) => Promise<void>,
  { endsNoWorker = false } = {},
): Promise<void> {
  await withTries(deps, generationFence(ref), { maxTries: MAX_TRIES, endsNoWorker }, (signal) =>
    inStage(deps, stage, ref, signal, (input) => work(input, signal)),
  );
}

/** Runs a stage of a generation whose tries the caller counts: shows it, and reads what `work` works on. */
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

/** What users will read of an error, be it thrown as such or as a failure that says when to try again. */
function sourceErrorOf(error: unknown): SourceError | null {
  if (error instanceof SourceError) return error;
  return error instanceof ApplicationFailure && error.cause instanceof SourceError ? error.cause : null;
}

/**
 * What the stage works on, or null when the generation is not the current one. A failover may have lost the write that
 * began it: then it begins again.
 */
async function enter({ database }: Dependencies, stage: Stage, ref: GenerationRef): Promise<GenerationInput | null> {
  const input = await enterStage(database.pool, ref, stage);
  if (input !== null) return input;
  return (await beginGeneration(database.pool, ref)) === null ? null : enterStage(database.pool, ref, stage);
}

/** Waiting is no failure of the stage. */
function outcomeOf(error: unknown, { aborted }: AbortSignal): 'canceled' | 'waiting' | 'failed' {
  if (aborted) return 'canceled';
  return isWait(error) ? 'waiting' : 'failed';
}
