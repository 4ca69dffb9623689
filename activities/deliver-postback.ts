/** The postback: one signed POST each time this activity is tried, counted on the postback's own row. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { OwedPostback } from '../contract/commands.ts';
import { SourceError } from '../contract/errors.ts';
import type { PostbackState } from '../contract/statuses.ts';
import { type Delivery, readDelivery } from '../db/queries/owed-postbacks.ts';
import { type DeliveryAttempt, recordDeliveryAttempt } from '../db/transitions/record-delivery-attempt.ts';
import { parseRetryAfter } from '../platform/egress-errors.ts';
import { signWebhook } from '../platform/webhook.ts';
import type { Dependencies } from './dependencies.ts';

const TIMEOUT_MS = 15_000;
const KEPT_RESPONSE_BYTES = 1_024;
const HEARTBEAT_MS = 500;
/** Each delay is stretched by up to this share, so that many postbacks do not come back at once. */
const JITTER = 0.1;

interface Verdict {
  state: PostbackState;
  nextAttemptAt: Date | null;
  reason: string | null;
}

/**
 * Makes the attempt that is due. Returns the final state, or fails with the delay to the next attempt: the schedule
 * is read from the row, so that it goes on after any restart.
 */
export async function deliverPostback(deps: Dependencies, owed: OwedPostback): Promise<PostbackState | 'gone'> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    const delivery = await readDelivery(deps.database.pool, owed.postbackId, owed.round);
    if (delivery === null) return 'gone';
    if (delivery.nextAttemptAt.getTime() > Date.now()) throw notYet(delivery.nextAttemptAt);

    const { attempt, retryAfterMs } = await send(deps, owed, delivery, context.cancellationSignal);
    const next = judge(deps.config.POSTBACK_SCHEDULE_SECONDS, delivery.attempts + 1, attempt, retryAfterMs);
    const recorded = await recordDeliveryAttempt(
      deps.database.pool,
      { ...owed, before: delivery.attempts },
      attempt,
      next,
    );
    if (recorded) deps.metrics.deliveryAttempts.inc({ state: next.state });
    deps.logger.info({
      event: 'postback.attempted',
      postbackId: owed.postbackId,
      attempt: delivery.attempts + 1,
      statusCode: attempt.statusCode,
      error: attempt.error,
      state: next.state,
    });
    if (next.nextAttemptAt !== null) throw notYet(next.nextAttemptAt, attempt);
    return next.state;
  } finally {
    clearInterval(heartbeat);
  }
}

/** The failure that operators see while a delivery waits for its next attempt. */
function notYet(at: Date, last?: DeliveryAttempt): ApplicationFailure {
  const what = last ? (last.error ?? `The receiver answered ${last.statusCode}.`) : 'The next attempt is not due yet.';
  return ApplicationFailure.create({
    type: 'PostbackPending',
    message: `${what} Next attempt at ${at.toISOString()}.`,
    nextRetryDelay: Math.max(1, at.getTime() - Date.now()),
  });
}

async function send(
  { egress }: Dependencies,
  { postbackId }: OwedPostback,
  { url, body, secret, previousSecret }: Delivery,
  signal: AbortSignal,
): Promise<{ attempt: DeliveryAttempt; retryAfterMs: number | undefined }> {
  const at = new Date();
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  try {
    const response = await egress.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signWebhook({ id: postbackId, timestamp: at, body, secrets }) },
      body,
      maxBytes: KEPT_RESPONSE_BYTES,
      partialBody: 'keep',
      redirect: 'refuse',
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const text = new TextDecoder().decode(response.body).replaceAll('\0', '\uFFFD');
    return {
      attempt: { at, statusCode: response.status, durationMs: elapsed(), response: text, error: null },
      retryAfterMs: parseRetryAfter(response.headers['retry-after'], new Date()),
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const attempt = {
      at,
      statusCode: null,
      durationMs: elapsed(),
      response: null,
      error: `${error.code}: ${error.message}`,
    };
    return { attempt, retryAfterMs: undefined };
  }
}

/** What follows from the `made`th attempt of a round. */
function judge(schedule: number[], made: number, attempt: DeliveryAttempt, retryAfterMs = 0): Verdict {
  const { statusCode } = attempt;
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
    return { state: 'delivered', nextAttemptAt: null, reason: null };
  }
  if (statusCode === 410) {
    return { state: 'disabled', nextAttemptAt: null, reason: 'The receiver answered 410 Gone.' };
  }
  const seconds = schedule[made];
  if (seconds === undefined) {
    return { state: 'failed', nextAttemptAt: null, reason: `None of ${made} attempts was answered with success.` };
  }
  const delayMs = Math.max(seconds * 1_000 * (1 + JITTER * Math.random()), retryAfterMs);
  return { state: 'pending', nextAttemptAt: new Date(Date.now() + delayMs), reason: null };
}
