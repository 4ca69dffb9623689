import { sourceStatuses } from '../contract/statuses.ts';
import { readTicketToSend, type TicketToSend } from '../db/queries/tickets/read-ticket.ts';
import { endTicketSent } from '../db/transitions/tickets/send-ticket.ts';
import type { Dependencies } from './runtime/dependencies.ts';

/**
 * Sends a ticket to the support mailbox, unless that is done. A repeat after a lost answer has the same Message-ID,
 * by which mailboxes recognise it.
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

/** The message, and below it what the service knows of its user. */
function textOf(ticket: TicketToSend): string {
  const counts = sourceStatuses.map((status) => `${status} ${ticket.sources[status] ?? 0}`);
  const failures = ticket.failures.map(
    ({ at, code, sourceId, generation, message }) =>
      `  ${new Date(at).toISOString()} ${code}, source ${sourceId}, generation ${generation}: ${message}`,
  );
  return [
    ticket.message,
    '',
    // A line of "-- " ends the message, as signatures do.
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
