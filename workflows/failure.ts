import { type ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { isSourceErrorCode, type SourceErrorCode, sourceErrors } from '../contract/errors.ts';
import type { GenerationError } from '../contract/resources.ts';
import { isStage, type Stage } from '../contract/statuses.ts';

/** Whether a step ended with a failure of this type, which is about the generation and not about its content. */
export function failedAs({ cause }: ActivityFailure, type: string): boolean {
  return cause instanceof ApplicationFailure && cause.type === type;
}

/**
 * What users read when an activity gave up: its own code, stage and message, or what its time-out means.
 * @param entered the stage that the run had entered, for a failure that names none.
 */
export function describeFailure({ cause }: ActivityFailure, entered: Stage): GenerationError {
  const details: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  const given = typeof details === 'object' && details !== null ? details : {};
  const stage = 'stage' in given && isStage(given.stage) ? given.stage : entered;
  if (cause instanceof ApplicationFailure && isSourceErrorCode(cause.type)) {
    const retryable = 'retryable' in given ? given.retryable === true : sourceErrors[cause.type].retryable;
    // The step has kept its own message in the database, where the generation's end finds it.
    return { code: cause.type, stage, message: sourceErrors[cause.type].remedy, retryable };
  }
  const extracting = stage === 'context' || stage === 'artifacts';
  const code: SourceErrorCode = cause instanceof TimeoutFailure && extracting ? 'extraction_timeout' : 'internal';
  const what = code === 'internal' ? 'The service could not finish this step.' : 'The content took too long to read.';
  return { code, stage, message: `${what} ${sourceErrors[code].remedy}`, retryable: sourceErrors[code].retryable };
}
