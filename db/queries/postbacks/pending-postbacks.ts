import { MAX_OPEN_DELIVERIES, type PendingPostback } from '../../../contract/commands.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Postback } from '../../entities/postback.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import type { StoredPostbackSecret } from './postback-secret.ts';

const pendingOfSource = statement<PendingPostback>(
  'owed-postbacks',
  `select id as "postbackId", round from postbacks
   where source_id = $1 and state = 'pending' order by next_attempt_at, id limit ${MAX_OPEN_DELIVERIES}`,
);

/** The pending postbacks of a source, the earliest due first, MAX_OPEN_DELIVERIES at most. */
export async function readPendingPostbacks(session: Session, sourceId: string): Promise<PendingPostback[]> {
  return query(session, pendingOfSource, [sourceId]);
}

export interface Delivery extends StoredPostbackSecret, ColumnsOf<typeof Postback, 'url' | 'body' | 'attempts'> {
  ownerId: string;
  nextAttemptAt: Date;
  /** The database's time. */
  now: Date;
}

const delivery = statement<Delivery>(
  'read-delivery',
  `select p.url, p.body, p.attempts, p.next_attempt_at as "nextAttemptAt", now() as now, s.owner_id as "ownerId",
          u.postback_secret as secret,
          case when u.previous_postback_secret_expires_at > now() then u.previous_postback_secret end as "previousSecret",
          u.previous_postback_secret_expires_at as "previousExpiresAt"
   from postbacks p join sources s on s.id = p.source_id join users u on u.id = s.owner_id
   where p.id = $1 and p.round = $2 and p.state = 'pending'`,
);

/** The data for a delivery attempt, or null when this round of the postback is not pending any more. */
export async function readDelivery(session: Session, postbackId: string, round: number): Promise<Delivery | null> {
  return queryOne(session, delivery, [postbackId, round]);
}
