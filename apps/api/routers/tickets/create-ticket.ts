import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { ticketSchema } from '../../../../contract/resources.ts';
import { ticketTypes } from '../../../../contract/statuses.ts';
import { createTicket as insertTicket } from '../../../../db/transitions/tickets/create-ticket.ts';
import { idempotent } from '../../idempotency.ts';
import { text } from '../../input.ts';
import { procedure } from '../../trpc.ts';

/** Stores the ticket with the command that mails it to support, with the state of the user's account. */
export const createTicket = procedure
  .meta({
    rest: { method: 'POST', path: '/support/tickets', status: 201 },
    summary: 'Create a support ticket',
    description: 'The ticket is mailed to support with the state of your account: plan, counts and last failures.',
    example: { type: 'technical', reply_address: 'me@example.com', message: 'My source stays PROCESSING.' },
  })
  .input(
    z.strictObject({
      type: z.enum(ticketTypes),
      reply_address: z
        .email({ error: 'Must be an e-mail address.' })
        .max(320, { error: 'Must have at most 320 characters.' }),
      message: text(1, 10_000),
    }),
  )
  .output(ticketSchema)
  .mutation(
    idempotent(async ({ ctx, input: { type, reply_address, message }, write }) =>
      write(async (session) => {
        const id = uuidv7();
        const { status, createdAt } = await insertTicket(session, {
          id,
          userId: ctx.caller.userId,
          type,
          replyAddress: reply_address,
          message,
          requestId: ctx.requestId,
        });
        return { id, type, status, createdAt: createdAt.toISOString() };
      }),
    ),
  );
