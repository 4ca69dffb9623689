/** What follows from an attempt to deliver a postback. */
import type { PostbackState } from '../contract/statuses.ts';
import { isDelivered, type SentPostback } from '../platform/send-postback.ts';

/** Each delay is stretched by up to this share, so that many postbacks do not come back at once. */
const JITTER = 0.1;
/** The longest delay of the schedule by default: no receiver keeps a delivery pending for longer with each answer. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

export interface DeliveryVerdict {
  state: PostbackState;
  nextAttemptAt: Date | null;
  reason: string | null;
}

/**
 * Judges the `made`th attempt of a round by the schedule: seconds before each attempt, the first included. Retry-After
 * puts the next one off, by a day at most.
 * @param now milliseconds since 1970
 * @param random 0 to 1
 */
export function judgeAttempt(
  schedule: readonly number[],
  made: number,
  { statusCode, retryAfterMs = 0 }: Pick<SentPostback, 'statusCode' | 'retryAfterMs'>,
  now: number,
  random = Math.random(),
): DeliveryVerdict {
  if (isDelivered({ statusCode })) return { state: 'delivered', nextAttemptAt: null, reason: null };
  if (statusCode === 410) return { state: 'disabled', nextAttemptAt: null, reason: 'The receiver answered 410 Gone.' };
  const seconds = schedule[made];
  if (seconds === undefined) {
    return { state: 'failed', nextAttemptAt: null, reason: `None of ${made} attempts was answered with success.` };
  }
  const delayMs = Math.max(seconds * 1_000 * (1 + JITTER * random), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  return { state: 'pending', nextAttemptAt: new Date(now + delayMs), reason: null };
}
