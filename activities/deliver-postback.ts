/** Postback delivery: each activity attempt sends at most one signed POST, counted on the postback's row. */
import { ApplicationFailure } from '@temporalio/common';
import type { PendingPostback } from '../contract/commands.ts';
import type { PostbackState } from '../contract/statuses.ts';
import { readDelivery } from '../db/queries/postbacks/pending-postbacks.ts';
import { openPostbackSecret } from '../db/transitions/postbacks/open-postback-secret.ts';
import { type DeliveryAttempt, recordDeliveryAttempt } from '../db/transitions/postbacks/record-delivery-attempt.ts';
import { createSecrets } from '../platform/secrets.ts';
import { sendPostback } from '../platform/send-postback.ts';
import { applyRetryPolicy } from './retry-policy.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { acquireOwnerSlot } from './runtime/owner-concurrency.ts';
import { withTries } from './runtime/tries.ts';

/** Time for a request in progress to finish after continue-as-new or a cancel by an operator. */
const ABORT_GRACE_MS = 1_000;

/**
 * Makes the delivery attempt that is due. Returns the final state, or `gone` when this round is not pending any more.
 * Otherwise it fails with the delay to the next attempt, read from the row, so the schedule survives restarts.
 */
export async function deliverPostback(deps: Dependencies, pending: PendingPostback): Promise<PostbackState | 'gone'> {
  const fence = { kind: 'postback', id: pending.postbackId, number: pending.round } as const;
  return withTries(deps, fence, { admit: acquireOwnerSlot(deps.ownerSlots) }, async (signal) => {
    const delivery = await readDelivery(deps.database.pool, pending.postbackId, pending.round);
    if (delivery === null) return 'gone';
    const now = clockFrom(delivery.now);
    if (delivery.nextAttemptAt.getTime() > now()) throw pendingFailure(delivery.nextAttemptAt, now());

    const { pool } = deps.database;
    const signedBy = await openPostbackSecret(pool, createSecrets(deps.config), delivery.ownerId, delivery);
    const postback = { ...delivery, ...signedBy, id: pending.postbackId };
    signal.throwIfAborted();
    const attempt = await sendPostback(deps.egress, postback, { at: new Date(now()), signal: withGrace(signal) });
    const next = applyRetryPolicy(deps.config.POSTBACK_SCHEDULE_SECONDS, delivery.attempts + 1, attempt, now());
    const recorded = await recordDeliveryAttempt(
      deps.database.pool,
      { ...pending, before: delivery.attempts },
      attempt,
      next,
    );
    if (recorded) deps.metrics.deliveryAttempts.inc({ state: next.state });
    deps.logger.info({
      event: 'postback.attempted',
      postbackId: pending.postbackId,
      attempt: delivery.attempts + 1,
      statusCode: attempt.statusCode,
      error: errorCodeOf(attempt),
      state: next.state,
    });
    if (next.nextAttemptAt !== null) throw pendingFailure(next.nextAttemptAt, now(), attempt);
    return next.state;
  });
}

/** A signal that is aborted ABORT_GRACE_MS after `signal`, so that an attempt in progress is recorded, not repeated. */
function withGrace(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => setTimeout(() => controller.abort(signal.reason), ABORT_GRACE_MS).unref();
  signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/**
 * A clock of the database's time, in milliseconds since 1970. Workers' clocks may be minutes apart: an attempt would be
 * too early, or signed with a time that the receiver rejects.
 */
function clockFrom(databaseTime: Date): () => number {
  const readAt = performance.now();
  return () => databaseTime.getTime() + (performance.now() - readAt);
}

/** The error code of an attempt without a response: the error without the host that the message names. */
function errorCodeOf({ error }: Pick<DeliveryAttempt, 'error'>): string | null {
  return error?.split(':')[0] ?? null;
}

/** The failure that schedules the next attempt; operators see it while the delivery waits. */
function pendingFailure(at: Date, now: number, last?: DeliveryAttempt): ApplicationFailure {
  const lastResult = last && (errorCodeOf(last) ?? `The receiver responded with ${last.statusCode}`);
  const reason = lastResult ?? 'The next attempt is not due yet';
  return ApplicationFailure.create({
    type: 'PostbackPending',
    message: `${reason}. Next attempt at ${at.toISOString()}.`,
    nextRetryDelay: Math.max(1, at.getTime() - now),
  });
}
