import { queryOne, type Session, statement } from '../../sql.ts';

const redeliver = statement<{ found: boolean; again: boolean }>(
  'redeliver-postback',
  `with known as (
     select p.id, s.owner_id, s.id as source_id, s.generation from postbacks p join sources s on s.id = p.source_id
     where p.id = $1 and s.id = $2 and s.owner_id = $3 and s.deleted_at is null
       and exists (select from spaces sp where sp.id = s.space_id and sp.deleted_at is null)
   ), again as (
     update postbacks p set state = 'pending', round = p.round + 1, attempts = 0, last_status_code = null, reason = null,
       next_attempt_at = now(), checked_at = now()
     from known where p.id = known.id and p.state <> 'pending' returning p.id
   ), shown as (
     update sources s set revision = s.revision + 1, updated_at = now()
     from known, again where s.id = known.source_id
   ), command as (
     insert into outbox (owner_id, source_id, command, generation)
     select owner_id, source_id, 'deliver', generation from known, again
   )
   select exists (select from known) as found, exists (select from again) as again`,
);

/**
 * Makes a postback pending again, in a new round with its own attempts. `pending`: it is pending already, and nothing
 * was written. `missing`: no live source of this owner has this postback.
 */
export async function redeliverPostback(
  session: Session,
  ownerId: string,
  { sourceId, postbackId }: { sourceId: string; postbackId: string },
): Promise<'redelivered' | 'pending' | 'missing'> {
  const row = await queryOne(session, redeliver, [postbackId, sourceId, ownerId]);
  if (row?.again) return 'redelivered';
  return row?.found ? 'pending' : 'missing';
}
