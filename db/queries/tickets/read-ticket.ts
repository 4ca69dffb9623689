/** A ticket with the current data of its user that support needs. */
import type { SourceStatus } from '../../../contract/statuses.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { SupportTicket } from '../../entities/support-ticket.ts';
import type { User } from '../../entities/user.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

export interface TicketToSend
  extends ColumnsOf<
      typeof SupportTicket,
      'id' | 'type' | 'replyAddress' | 'message' | 'requestId' | 'createdAt' | 'userId'
    >,
    ColumnsOf<typeof User, 'email' | 'name' | 'plan'> {
  spaces: number;
  /** Live sources by status; a status without any is left out. */
  sources: Partial<Record<SourceStatus, number>>;
  /** The last LAST_FAILURES failures of all the user's sources, the newest first. */
  failures: { sourceId: string; generation: number; code: string; message: string; at: string }[];
}

const LAST_FAILURES = 5;

const read = statement<TicketToSend>(
  'read-ticket-to-send',
  `select t.id, t.type, t.reply_address as "replyAddress", t.message, t.request_id as "requestId",
          t.created_at as "createdAt", u.id as "userId", u.email, u.name, u.plan,
          (select count(*) from spaces sp where sp.owner_id = u.id and sp.deleted_at is null) as spaces,
          (select coalesce(json_object_agg(counted.status, counted.count), '{}') from (
             select s.status, count(*) from sources s join spaces sp on sp.id = s.space_id and sp.deleted_at is null
             where s.owner_id = u.id and s.deleted_at is null group by s.status) counted) as sources,
          (select coalesce(json_agg(failure order by failure.at desc), '[]') from (
             select g.source_id as "sourceId", g.generation, g.error ->> 'code' as code,
                    g.error ->> 'message' as message, g.finished_at as at
             from source_generations g join sources s on s.id = g.source_id
             where s.owner_id = u.id and g.outcome = 'FAILED'
             order by g.finished_at desc limit ${LAST_FAILURES}) failure) as failures
   from support_tickets t join users u on u.id = t.user_id
   where t.id = $1 and t.status = 'PENDING'`,
);

/** The ticket, or null when it is sent already or deleted with its user. */
export async function readTicketToSend(session: Session, ticketId: string): Promise<TicketToSend | null> {
  return queryOne(session, read, [ticketId]);
}
