/** The postback: one signed POST each time this activity is tried, counted on the postback's own row. */
import { ApplicationFailure } from '@temporalio/common';
import type { OwedPostback } from '../contract/commands.ts';
import type { PostbackState } from '../contract/statuses.ts';
import { readDelivery } from '../db/queries/owed-postbacks.ts';
import { type DeliveryAttempt, recordDeliveryAttempt } from '../db/transitions/record-delivery-attempt.ts';
import { sendPostback } from '../platform/send-postback.ts';
import { judgeAttempt } from './delivery-verdict.ts';
import type { Dependencies } from './dependencies.ts';
import { inTurn } from './owner-turns.ts';

/**
 * Makes the attempt that is due. Returns the final state, or fails with the delay to the next attempt: the schedule
 * is read from the row, so that it goes on after any restart.
 */
export async function deliverPostback(deps: Dependencies, owed: OwedPostback): Promise<PostbackState | 'gone'> {
  return inTurn(deps.turns, { mostTries: Number.POSITIVE_INFINITY }, async (signal) => {
    const delivery = await readDelivery(deps.database.pool, owed.postbackId, owed.round);
    if (delivery === null) return 'gone';
    if (delivery.nextAttemptAt.getTime() > Date.now()) throw notYet(delivery.nextAttemptAt);

    const postback = { id: owed.postbackId, ...delivery };
    const attempt = await sendPostback(deps.egress, postback, signal);
    const next = judgeAttempt(deps.config.POSTBACK_SCHEDULE_SECONDS, delivery.attempts + 1, attempt);
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
  });
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
