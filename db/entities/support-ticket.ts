import { defineEntity, p } from '@mikro-orm/postgresql';
import { ticketStatuses, ticketTypes } from '../../contract/statuses.ts';
import { User } from './user.ts';

/** A support ticket, kept until the mail server has accepted it and for TICKET_RETENTION_SECONDS afterwards. */
export const SupportTicket = defineEntity({
  name: 'SupportTicket',
  tableName: 'support_tickets',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    type: p.enum(ticketTypes),
    replyAddress: p.text().check('char_length(reply_address) between 3 and 320'),
    message: p.text().check('char_length(message) between 1 and 10000'),
    /** The id of the request that created it, for the log. */
    requestId: p.text(),
    status: p.enum(ticketStatuses).default('PENDING'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    sentAt: p.datetime(3).nullable(),
    checkedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    {
      name: 'support_tickets_sent_index',
      properties: ['sentAt'],
      expression:
        'create index "support_tickets_sent_index" on "support_tickets" ("sent_at") where "status" = \'SENT\'',
    },
    {
      name: 'support_tickets_pending_index',
      properties: ['checkedAt'],
      expression:
        'create index "support_tickets_pending_index" on "support_tickets" ("checked_at") where "status" = \'PENDING\'',
    },
  ],
  checks: [{ name: 'support_tickets_sent_check', expression: "(status = 'SENT') = (sent_at is not null)" }],
});
