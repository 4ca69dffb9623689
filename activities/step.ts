/** What every step of the pipeline shares: heartbeats, cancellation, the fence at its door, and its failures. */
import { activityInfo, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { GenerationRef } from '../contract/commands.ts';
import { SourceError } from '../contract/errors.ts';
import type { Stage } from '../contract/statuses.ts';
import { enterStage, type GenerationInput } from '../db/transitions/record-progress.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeat } from './heartbeat.ts';

/** Ends a step whose generation is not the current one any more. Whatever follows from that is in the database. */
export function superseded(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('A newer generation has taken the place of this one.', 'Superseded');
}

const MOST_MESSAGE_CHARACTERS = 1_000;

/** A failure that users read. Steps are not tried again for it, unless they say when. */
export function failureOf(error: SourceError, nextRetryDelayMs?: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.code,
    message: error.message.toWellFormed().slice(0, MOST_MESSAGE_CHARACTERS),
    details: [{ retryable: error.retryable }],
    nonRetryable: nextRetryDelayMs === undefined,
    ...(nextRetryDelayMs === undefined ? {} : { nextRetryDelay: nextRetryDelayMs }),
    ...(error.cause instanceof Error ? { cause: error.cause } : {}),
  });
}

/**
 * Runs a stage of a generation with heartbeats, and hands `work` what it works on and a signal that is aborted when
 * the run is canceled or the worker shuts down.
 */
export async function runStage(
  deps: Dependencies,
  stage: Stage,
  ref: GenerationRef,
  work: (input: GenerationInput, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await withHeartbeat((signal) => inStage(deps, stage, ref, (input) => work(input, signal)));
}

/** Runs a stage of a generation whose heartbeat the caller keeps: shows it, and reads what `work` works on. */
export async function inStage(
  deps: Dependencies,
  stage: Stage,
  ref: GenerationRef,
  work: (input: GenerationInput) => Promise<void>,
): Promise<void> {
  const stop = deps.metrics.stageDuration.startTimer({ stage });
  const { cancellationSignal } = Context.current();
  try {
    const input = await enterStage(deps.database.pool, ref, stage);
    if (input === null) throw superseded();
    await work(input);
    stop({ outcome: 'done' });
  } catch (error) {
    stop({ outcome: cancellationSignal.aborted ? 'canceled' : 'failed' });
    const { attempt } = activityInfo();
    if (error instanceof SourceError) {
      deps.logger.info({ event: 'stage.failed', ...ref, stage, attempt, code: error.code, cause: error.cause });
      throw failureOf(error);
    }
    if (!(error instanceof ApplicationFailure) && !cancellationSignal.aborted) {
      deps.logger.warn({ event: 'stage.error', ...ref, stage, attempt, err: error });
    }
    throw error;
  }
}
