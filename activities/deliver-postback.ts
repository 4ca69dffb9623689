/** The postback: one signed POST each time this activity is tried, counted on the postback's own row. */
import { ApplicationFailure } from '@temporalio/common';
import type { PendingPostback } from '../contract/commands.ts';
import type { PostbackState } from '../contract/statuses.ts';
import { readDelivery } from '../db/queries/postbacks/pending-postbacks.ts';
import { openPostbackSecret } from '../db/transitions/postbacks/open-postback-secret.ts';
import { type DeliveryAttempt, recordDeliveryAttempt } from '../db/transitions/postbacks/record-delivery-attempt.ts';
import { createSecrets } from '../platform/secrets.ts';
import { sendPostback } from '../platform/send-postback.ts';
import { judgeAttempt } from './retry-policy.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { acquireOwnerSlot } from './runtime/owner-concurrency.ts';
import { withTries } from './runtime/tries.ts';

/** For the answer of a request that is under way when the run goes on in a new one, or an operator cancels it. */
const FINISH_MS = 1_000;

/**
 * Makes the attempt that is due. Returns the final state, or fails with the delay to the next attempt: the schedule
 * is read from the row, so that it goes on after any restart.
 */
export async function deliverPostback(deps: Dependencies, owed: PendingPostback): Promise<PostbackState | 'gone'> {
  const fence = { kind: 'postback', id: owed.postbackId, number: owed.round } as const;
  return withTries(deps, fence, { admit: acquireOwnerSlot(deps.turns) }, async (signal) => {
    const delivery = await readDelivery(deps.database.pool, owed.postbackId, owed.round);
    if (delivery === null) return 'gone';
    const now = clockFrom(delivery.now);
    if (delivery.nextAttemptAt.getTime() > now()) throw notYet(delivery.nextAttemptAt, now());

    const { pool } = deps.database;
    const signedBy = await openPostbackSecret(pool, createSecrets(deps.config), delivery.ownerId, delivery);
    const postback = { ...delivery, ...signedBy, id: owed.postbackId };
    signal.throwIfAborted();
    const attempt = await sendPostback(deps.egress, postback, { at: new Date(now()), signal: late(signal) });
    const next = judgeAttempt(deps.config.POSTBACK_SCHEDULE_SECONDS, delivery.attempts + 1, attempt, now());
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
      error: codeOf(attempt),
      state: next.state,
    });
    if (next.nextAttemptAt !== null) throw notYet(next.nextAttemptAt, now(), attempt);
    return next.state;
  });
}

/** Aborted a moment after `signal`, so that an attempt under way is counted, rather than made once more. */
function late(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => setTimeout(() => controller.abort(signal.reason), FINISH_MS).unref();
  signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/**
 * The database's time in milliseconds, which every worker reads alike: their own clocks may be minutes apart, by which
 * an attempt would come too early, or be signed with a time that its receiver refuses.
 */
function clockFrom(databaseTime: Date): () => number {
  const readAt = performance.now();
  return () => databaseTime.getTime() + (performance.now() - readAt);
}

/** Why nothing was answered, without the host that the message names. */
function codeOf({ error }: Pick<DeliveryAttempt, 'error'>): string | null {
  return error?.split(':')[0] ?? null;
}

/** The failure that operators see while a delivery waits for its next attempt. */
function notYet(at: Date, now: number, last?: DeliveryAttempt): ApplicationFailure {
  const answer = last && (codeOf(last) ?? `The receiver answered ${last.statusCode}`);
  const what = answer ?? 'The next attempt is not due yet';
  return ApplicationFailure.create({
    type: 'PostbackPending',
    message: `${what}. Next attempt at ${at.toISOString()}.`,
    nextRetryDelay: Math.max(1, at.getTime() - now),
  });
}
