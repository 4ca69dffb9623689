/** What becomes of a ticket after it was kept. */
import { query, queryOne, type Session, statement } from '../sql.ts';

const sent = statement<{ id: string }>(
  'ticket-sent',
  `update support_tickets set status = 'SENT', sent_at = now() where id = $1 and status = 'PENDING' returning id`,
);

/** Notes that the mail server has taken the ticket. False when that was noted before. */
export async function endTicketSent(session: Session, ticketId: string): Promise<boolean> {
  return (await queryOne(session, sent, [ticketId])) !== null;
}

const again = statement<{ id: number }>(
  'repeat-send-command',
  `insert into outbox (owner_id, command, ticket_id)
   select t.user_id, 'send', t.id from support_tickets t
   where t.id = $1 and t.status = 'PENDING' and not exists (select from outbox o where o.ticket_id = t.id)
   returning id`,
);

/** Sends the command of a ticket again. False when it is sent or a command is on its way. */
export async function repeatSendCommand(session: Session, ticketId: string): Promise<boolean> {
  return (await queryOne(session, again, [ticketId])) !== null;
}

const checkedNow = statement('mark-ticket-checked', 'update support_tickets set checked_at = now() where id = $1');

/** Notes that Temporal was asked about this ticket just now, so that others come first in the next round. */
export async function markTicketChecked(session: Session, ticketId: string): Promise<void> {
  await query(session, checkedNow, [ticketId]);
}
