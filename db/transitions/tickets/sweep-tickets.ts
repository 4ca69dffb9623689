import { query, type Session, statement } from '../../sql.ts';

const old = statement<{ id: string }>(
  'list-old-tickets',
  `select id from support_tickets where status = 'SENT' and sent_at < now() - make_interval(secs => $1)
   order by sent_at limit $2`,
);

/** Up to `limit` tickets that were sent `retentionSeconds` ago. */
export async function listOldTickets(session: Session, retentionSeconds: number, limit: number): Promise<string[]> {
  return (await query(session, old, [retentionSeconds, limit])).map(({ id }) => id);
}

const remove = statement<{ id: string }>(
  'remove-sent-tickets',
  `delete from support_tickets where id = any($1::uuid[]) and status = 'SENT' returning id`,
);

/** Removes sent tickets; returns how many. */
export async function removeTickets(session: Session, ticketIds: string[]): Promise<number> {
  return (await query(session, remove, [ticketIds])).length;
}
