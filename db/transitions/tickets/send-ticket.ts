/** Writes for a stored ticket: sent, or its command repeated. */
import { queryOne, type Session, statement } from '../../sql.ts';

const sent = statement<{ id: string }>(
  'ticket-sent',
  `update support_tickets set status = 'SENT', sent_at = now() where id = $1 and status = 'PENDING' returning id`,
);

/** Marks the ticket as SENT. False when it was sent already or is gone. */
export async function endTicketSent(session: Session, ticketId: string): Promise<boolean> {
  return (await queryOne(session, sent, [ticketId])) !== null;
}

const repeat = statement<{ id: number }>(
  'repeat-send-command',
  `insert into outbox (owner_id, command, ticket_id, end_run_id)
   select t.user_id, 'send', t.id, $2 from support_tickets t
   where t.id = $1 and t.status = 'PENDING' and not exists (select from outbox o where o.ticket_id = t.id)
   returning id`,
);

/** Inserts a ticket's command again; `endRunId` is ended before. False: it is sent or a command is in the outbox. */
export async function repeatSendCommand(session: Session, ticketId: string, endRunId: string | null): Promise<boolean> {
  return (await queryOne(session, repeat, [ticketId, endRunId])) !== null;
}
