/** Delivery attempts of a postback, counted on its row, so that the schedule survives the run. */
import type { PostbackState } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Postback } from '../../entities/postback.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

export interface DeliveryAttempt {
  at: Date;
  statusCode: number | null;
  durationMs: number;
  response: string | null;
  error: string | null;
}

/** Attempts that are kept per postback, over all of its rounds. */
const KEPT_ATTEMPTS = 100;

const record = statement<ColumnsOf<typeof Postback, 'state'>>(
  'record-delivery-attempt',
  `with postback as (
     update postbacks set attempts = attempts + 1, last_status_code = $4, state = $5, next_attempt_at = $6,
       reason = $7, checked_at = now()
     where id = $1 and round = $2 and attempts = $3 and state = 'pending'
     returning id, round, attempts, state, reason, source_id, url
   ), attempt as (
     insert into postback_attempts (postback_id, round, attempt, at, status_code, duration_ms, response, error)
     select id, round, attempts, $8, $4, $9, $10, $11 from postback
   ), pruned as (
     -- Redeliveries are unlimited, so only the newest attempts are kept.
     delete from postback_attempts a using postback p
     where a.postback_id = p.id and (a.round, a.attempt) in (
       select o.round, o.attempt from postback_attempts o where o.postback_id = $1
       order by o.round desc, o.attempt desc offset ${KEPT_ATTEMPTS - 1})
   ), given_up as (
     update postbacks other set state = 'disabled', reason = p.reason, next_attempt_at = null
     from postback p
     where p.state = 'disabled' and other.source_id = p.source_id and other.url = p.url and other.id <> p.id
       and other.state = 'pending'
   ), shown as (
     update sources s set revision = s.revision + 1, updated_at = now(),
       postback_gone_url = case when p.state = 'disabled' then p.url else s.postback_gone_url end
     from postback p where s.id = p.source_id
   )
   select state from postback`,
);

/**
 * Records an attempt and the postback's next state. After 410 Gone (`disabled`), all pending postbacks of the source to
 * this URL are disabled. `before` is the number of attempts of this round that the caller had read. False when another
 * attempt was recorded meanwhile, or the postback is not pending any more.
 */
export async function recordDeliveryAttempt(
  session: Session,
  delivery: { postbackId: string; round: number; before: number },
  attempt: DeliveryAttempt,
  next: { state: PostbackState; nextAttemptAt: Date | null; reason: string | null },
): Promise<boolean> {
  const row = await queryOne(session, record, [
    delivery.postbackId,
    delivery.round,
    delivery.before,
    attempt.statusCode,
    next.state,
    next.nextAttemptAt,
    next.reason,
    attempt.at,
    attempt.durationMs,
    attempt.response,
    attempt.error,
  ]);
  return row !== null;
}

const stop = statement<{ id: string }>(
  'stop-deliveries',
  `with stopped as (
     update postbacks set state = 'failed', next_attempt_at = null, reason = $2
     where source_id = $1 and state = 'pending' returning id, source_id
   ), shown as (
     update sources set revision = revision + 1, updated_at = now() where id in (select source_id from stopped)
   )
   select id from stopped`,
);

/** Ends every pending postback of a source as `failed`, after a cancel by an operator or for a purge. */
export async function stopDeliveries(session: Session, sourceId: string, reason: string): Promise<void> {
  await queryOne(session, stop, [sourceId, reason]);
}
