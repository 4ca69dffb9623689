import { type ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { isSourceErrorCode, type SourceErrorCode, sourceErrors } from '../contract/errors.ts';
import type { GenerationError } from '../contract/resources.ts';
import { isStage, type Stage } from '../contract/statuses.ts';

/** Whether an activity failed with this failure type: one about the generation, not about its content. */
export function failedAs({ cause }: ActivityFailure, type: string): boolean {
  return cause instanceof ApplicationFailure && cause.type === type;
}

/**
 * The error of the generation, as users see it, from a failed activity: its code and stage, or `extraction_timeout` or
 * `internal`.
 * @param entered the stage that the run had entered, for a failure that names no stage.
 */
export function describeFailure({ cause }: ActivityFailure, entered: Stage): GenerationError {
  const details: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  const given = typeof details === 'object' && details !== null ? details : {};
  const stage = 'stage' in given && isStage(given.stage) ? given.stage : entered;
  if (cause instanceof ApplicationFailure && isSourceErrorCode(cause.type)) {
    const retryable = 'retryable' in given ? given.retryable === true : sourceErrors[cause.type].retryable;
    // The activity has stored the specific message in the database; finishGeneration reads it there.
    return { code: cause.type, stage, message: sourceErrors[cause.type].remedy, retryable };
  }
  const extracting = stage === 'context' || stage === 'artifacts';
  const code: SourceErrorCode = cause instanceof TimeoutFailure && extracting ? 'extraction_timeout' : 'internal';
  const text = code === 'internal' ? 'The service could not finish this step.' : 'The content took too long to read.';
  return { code, stage, message: `${text} ${sourceErrors[code].remedy}`, retryable: sourceErrors[code].retryable };
}
