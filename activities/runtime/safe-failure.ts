/**
 * Activity failures as stored in Temporal: type, ids, and messages of the service itself. Messages and causes of other
 * errors (of a parser, the database, a mail server) may quote user content, and a history may outlive that content.
 */
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import { GarbageCollectionPausedError } from '../../db/bucket-ownership.ts';
import { MailError } from '../../platform/mail.ts';
import { SecretsKeyError } from '../../platform/secrets.ts';

/** Errors whose messages never quote user content. */
const safeErrors = [MailError, SecretsKeyError, GarbageCollectionPausedError];

/** The failure for Temporal, and the error to log instead of what was removed from it (null: nothing was). */
export function safeFailure(error: unknown): { failure: unknown; hidden: unknown } {
  if (error instanceof ApplicationFailure) {
    if (error.cause === undefined) return { failure: error, hidden: null };
    const { message, type, nonRetryable, details, nextRetryDelay, category } = error;
    const failure = ApplicationFailure.create({
      message,
      ...(type == null ? {} : { type }),
      ...(nonRetryable == null ? {} : { nonRetryable }),
      ...(details == null ? {} : { details }),
      ...(nextRetryDelay == null ? {} : { nextRetryDelay }),
      ...(category == null ? {} : { category }),
    });
    return { failure, hidden: error.cause };
  }
  // A cancellation, or an error of Temporal's SDK.
  if (error instanceof TemporalFailure || (error instanceof Error && error.name === 'AbortError')) {
    return { failure: error, hidden: null };
  }
  const type = error instanceof Error ? error.name : 'Error';
  const isSafe = safeErrors.some((safe) => error instanceof safe);
  const message = isSafe && error instanceof Error ? error.message : 'See activity.failed in the worker’s log.';
  return { failure: ApplicationFailure.create({ type, message }), hidden: error };
}
