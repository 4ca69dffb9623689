import type { PostbackState } from '../../contract/statuses.ts';
import { query, type Session, statement } from '../sql.ts';

export interface DeliveryRow {
  id: string;
  generation: number;
  url: string;
  state: PostbackState;
  reason: string | null;
  nextAttemptAt: Date | null;
  createdAt: Date;
  attempts: {
    at: string;
    statusCode: number | null;
    durationMs: number;
    response: string | null;
    error: string | null;
  }[];
}

/** Generations whose rows are kept are the last 100: so many deliveries a source has at most. */
const MOST = 100;

const deliveries = statement<DeliveryRow>(
  'list-deliveries',
  `select p.id, g.generation, p.url, p.state, p.reason, p.next_attempt_at as "nextAttemptAt",
          p.created_at as "createdAt", coalesce(a.list, '[]') as attempts
   from postbacks p join source_generations g on g.id = p.generation_id
   left join lateral (
     select jsonb_agg(jsonb_build_object('at', at, 'statusCode', status_code, 'durationMs', duration_ms,
       'response', response, 'error', error) order by round, attempt) as list
     from postback_attempts where postback_id = p.id) a on true
   where p.source_id = $1 order by g.generation desc limit ${MOST}`,
);

/** The postbacks of a source, the newest generation first. */
export async function listDeliveries(session: Session, sourceId: string): Promise<DeliveryRow[]> {
  return query(session, deliveries, [sourceId]);
}
