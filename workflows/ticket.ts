/** The run of a support ticket: tried until the mail server has taken it. */
import { setCurrentDetails } from '@temporalio/workflow';
import { sendTicket } from './steps.ts';

export async function ticket(ticketId: string): Promise<void> {
  setCurrentDetails('Handing the ticket to the mail server');
  await sendTicket(ticketId);
  setCurrentDetails('Sent');
}
