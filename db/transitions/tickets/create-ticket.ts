import type { InferEntity } from '@mikro-orm/postgresql';
import { OutboxCommand } from '../../entities/outbox-command.ts';
import { SupportTicket } from '../../entities/support-ticket.ts';
import { entityManager, type Transaction } from '../../sql.ts';

type TicketRow = InferEntity<typeof SupportTicket>;

/** Inserts a ticket with the command that sends it. */
export async function createTicket(
  session: Transaction,
  ticket: Pick<TicketRow, 'id' | 'userId' | 'type' | 'replyAddress' | 'message' | 'requestId'>,
): Promise<TicketRow> {
  const em = entityManager(session);
  const created = em.create(SupportTicket, ticket);
  await em.flush();
  await em.insert(OutboxCommand, { ownerId: ticket.userId, command: 'send', ticketId: ticket.id });
  return created;
}
