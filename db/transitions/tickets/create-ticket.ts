import type { ticketStatuses, ticketTypes } from '../../../contract/statuses.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

export interface NewTicket {
  id: string;
  userId: string;
  type: (typeof ticketTypes)[number];
  replyAddress: string;
  message: string;
  /** The request that made it, for the mail. */
  requestId: string;
}

const insert = statement<{ status: (typeof ticketStatuses)[number]; createdAt: Date }>(
  'create-ticket',
  `with ticket as (
     insert into support_tickets (id, user_id, type, reply_address, message, request_id)
     values ($1, $2, $3, $4, $5, $6)
     returning *
   ), command as (
     insert into outbox (owner_id, command, ticket_id) select user_id, 'send', id from ticket
   )
   select status, created_at as "createdAt" from ticket`,
);

/** Keeps a ticket with the command that sends it. */
export async function createTicket(
  session: Session,
  { id, userId, type, replyAddress, message, requestId }: NewTicket,
): Promise<{ status: (typeof ticketStatuses)[number]; createdAt: Date }> {
  const row = await queryOne(session, insert, [id, userId, type, replyAddress, message, requestId]);
  if (row === null) throw new Error('The ticket was not kept.');
  return row;
}
