/** Retry policy of postback deliveries; the schedule is POSTBACK_SCHEDULE_SECONDS. */
import type { PostbackState } from '../contract/statuses.ts';
import { isDelivered, type SentPostback } from '../platform/send-postback.ts';

/** Each delay is longer by up to this share, at random, so that many postbacks are not retried at the same time. */
const JITTER = 0.1;
/** Limit of Retry-After, equal to the longest delay of the default schedule. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

export interface RetryDecision {
  state: PostbackState;
  nextAttemptAt: Date | null;
  reason: string | null;
}

/**
 * Returns the postback's state after attempt number `made` of a round, and the time of the next attempt. Retry-After
 * postpones the next attempt, by a day at most.
 * @param schedule seconds before each attempt, the first included
 * @param now milliseconds since 1970
 * @param random 0 to 1
 */
export function applyRetryPolicy(
  schedule: readonly number[],
  made: number,
  { statusCode, retryAfterMs = 0 }: Pick<SentPostback, 'statusCode' | 'retryAfterMs'>,
  now: number,
  random = Math.random(),
): RetryDecision {
  if (isDelivered({ statusCode })) return { state: 'delivered', nextAttemptAt: null, reason: null };
  if (statusCode === 410) {
    return { state: 'disabled', nextAttemptAt: null, reason: 'The receiver responded with 410 Gone.' };
  }
  const seconds = schedule[made];
  if (seconds === undefined) {
    return { state: 'failed', nextAttemptAt: null, reason: `None of ${made} attempts got a success response.` };
  }
  const delayMs = Math.max(seconds * 1_000 * (1 + JITTER * random), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  return { state: 'pending', nextAttemptAt: new Date(now + delayMs), reason: null };
}
