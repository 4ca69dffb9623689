import { sourceStatuses } from '../contract/statuses.ts';
import { readTicketToSend, type TicketToSend } from '../db/queries/tickets/read-ticket.ts';
import { endTicketSent } from '../db/transitions/tickets/send-ticket.ts';
import type { Dependencies } from './runtime/dependencies.ts';

/**
 * Mails a ticket to the support mailbox, unless it is sent already. A repeat after a lost response has the same
 * Message-ID, so mailboxes recognise the duplicate.
 */
export async function sendTicket({ config, database, mail, logger }: Dependencies, ticketId: string): Promise<void> {
  const ticket = await readTicketToSend(database.pool, ticketId);
  if (ticket === null) return;
  await mail.send({
    to: config.SUPPORT_MAILBOX,
    replyTo: ticket.replyAddress,
    subject: `[${ticket.type}] Support ticket ${ticket.id}`,
    text: textOf(ticket),
    messageId: `<ticket-${ticket.id}@${config.MAIL_FROM.split('@').at(-1)}>`,
  });
  await endTicketSent(database.pool, ticketId);
  logger.info({ event: 'ticket.sent', ticketId });
}

/** The message, followed by the user's plan, counts and last failures. */
function textOf(ticket: TicketToSend): string {
  const counts = sourceStatuses.map((status) => `${status} ${ticket.sources[status] ?? 0}`);
  const failures = ticket.failures.map(
    ({ at, code, sourceId, generation, message }) =>
      `  ${new Date(at).toISOString()} ${code}, source ${sourceId}, generation ${generation}: ${message}`,
  );
  return [
    ticket.message,
    '',
    // A line of "-- " separates a signature from the message.
    '-- ',
    `Ticket: ${ticket.id} (${ticket.type}), ${ticket.createdAt.toISOString()}`,
    `Request: ${ticket.requestId}`,
    `Reply to: ${ticket.replyAddress}`,
    `User: ${ticket.userId}, ${ticket.name} <${ticket.email}>`,
    `Plan: ${ticket.plan}`,
    `Spaces: ${ticket.spaces}`,
    `Sources: ${counts.join(', ')}`,
    `Last failures:${failures.length === 0 ? ' none' : ''}`,
    ...failures,
    '',
  ].join('\n');
}
