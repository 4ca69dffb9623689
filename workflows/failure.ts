import { type ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { isSourceErrorCode, type SourceErrorCode, sourceErrors } from '../contract/errors.ts';
import type { GenerationError } from '../contract/resources.ts';
import type { Stage } from '../contract/statuses.ts';

/** What users read when an activity gave up: its own code and message, or what its time-out means for the stage. */
export function describeFailure(failure: ActivityFailure, stage: Stage): GenerationError {
  const { cause } = failure;
  if (cause instanceof ApplicationFailure && isSourceErrorCode(cause.type)) {
    const details: unknown = cause.details?.[0];
    const retryable =
      typeof details === 'object' && details !== null && 'retryable' in details
        ? details.retryable === true
        : sourceErrors[cause.type].retryable;
    return { code: cause.type, stage, message: cause.message, retryable };
  }
  const extracting = stage === 'context' || stage === 'artifacts';
  const code: SourceErrorCode = cause instanceof TimeoutFailure && extracting ? 'extraction_timeout' : 'internal';
  const what = code === 'internal' ? 'The service could not finish this step.' : 'The content took too long to read.';
  return { code, stage, message: `${what} ${sourceErrors[code].remedy}`, retryable: sourceErrors[code].retryable };
}
