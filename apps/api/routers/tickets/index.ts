import { router } from '../../trpc.ts';
import { createTicket } from './create-ticket.ts';

export const ticketsRouter = router({ create: createTicket });
