/** The workflow of a support ticket: retried until the mail server has accepted the mail. */
import { setCurrentDetails } from '@temporalio/workflow';
import { sendTicket } from './activities.ts';

export async function ticket(ticketId: string): Promise<void> {
  setCurrentDetails('Handing the ticket to the mail server');
  await sendTicket(ticketId);
  setCurrentDetails('Sent');
}
