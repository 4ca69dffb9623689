import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { Postback } from '../../entities/postback.ts';
import type { PostbackAttempt } from '../../entities/postback-attempt.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';

export interface DeliveryRow
  extends ColumnsOf<typeof Postback, 'id' | 'url' | 'state' | 'reason' | 'nextAttemptAt' | 'createdAt'> {
  generation: number;
  attempts: (ColumnsOf<typeof PostbackAttempt, 'statusCode' | 'durationMs' | 'response' | 'error'> & { at: string })[];
}

const select = `
  select p.id, g.generation, p.url, p.state, p.reason, p.next_attempt_at as "nextAttemptAt",
         p.created_at as "createdAt", coalesce(a.list, '[]') as attempts
  from source_generations g join postbacks p on p.generation_id = g.id
  left join lateral (
    select jsonb_agg(jsonb_build_object('at', at, 'statusCode', status_code, 'durationMs', duration_ms,
      'response', response, 'error', error) order by round, attempt) as list
    from postback_attempts where postback_id = p.id) a on true`;

const deliveries = statement<DeliveryRow>(
  'list-deliveries',
  `${select} where g.source_id = $1 and g.generation < $2 order by g.generation desc limit $3`,
);

/** The postbacks of a source's generations below `before`, the newest first. The caller has checked the owner. */
export async function listDeliveries(
  session: Session,
  sourceId: string,
  { before, limit }: { before: number; limit: number },
): Promise<DeliveryRow[]> {
  return query(session, deliveries, [sourceId, before, limit]);
}

const one = statement<DeliveryRow>('read-delivery-log', `${select} where p.id = $1`);

/** One postback with its attempts, or null. */
export async function readDeliveryLog(session: Session, postbackId: string): Promise<DeliveryRow | null> {
  return queryOne(session, one, [postbackId]);
}
