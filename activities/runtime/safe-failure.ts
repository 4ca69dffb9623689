/**
 * What Temporal is told of a failed activity: its type, ids, and messages of our own. Messages and causes of other errors
 * may quote what users wrote (a parser, the database, a mail server), and a history outlives what it quotes.
 */
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import { GarbageCollectionPausedError } from '../../db/bucket-ownership.ts';
import { MailError } from '../../platform/mail.ts';
import { SecretsKeyError } from '../../platform/secrets.ts';

/** Errors whose messages hold nothing but our own words. */
const ownWords = [MailError, SecretsKeyError, GarbageCollectionPausedError];

/** The failure without texts of others, and whether there was something that operators should find in the log instead. */
export function safeFailure(error: unknown): { failure: unknown; lost: unknown } {
  if (error instanceof ApplicationFailure) {
    if (error.cause === undefined) return { failure: error, lost: null };
    const { message, type, nonRetryable, details, nextRetryDelay, category } = error;
    const failure = ApplicationFailure.create({
      message,
      ...(type == null ? {} : { type }),
      ...(nonRetryable == null ? {} : { nonRetryable }),
      ...(details == null ? {} : { details }),
      ...(nextRetryDelay == null ? {} : { nextRetryDelay }),
      ...(category == null ? {} : { category }),
    });
    return { failure, lost: error.cause };
  }
  // A cancellation, or what Temporal's own client says.
  if (error instanceof TemporalFailure || (error instanceof Error && error.name === 'AbortError')) {
    return { failure: error, lost: null };
  }
  const type = error instanceof Error ? error.name : 'Error';
  const isOwn = ownWords.some((own) => error instanceof own);
  const message = isOwn && error instanceof Error ? error.message : 'The worker’s log says more: activity.failed.';
  return { failure: ApplicationFailure.create({ type, message }), lost: error };
}
