/** What the database owes and nobody seems to do: the reconciler's questions, one statement each. */
import { query, type Session, statement } from '../sql.ts';

export interface OwedSource {
  sourceId: string;
  generation: number;
}

const stalledSources = statement<OwedSource>(
  'find-stalled-sources',
  `select s.id as "sourceId", s.generation from sources s
   where s.status in ('CREATED', 'PENDING', 'PROCESSING')
     and s.checked_at < now() - make_interval(secs => $1) and s.updated_at < now() - make_interval(secs => $1)
     and not exists (select from outbox o where o.source_id = s.id)
   order by s.checked_at limit $2`,
);

/** Sources that have not ended, stood still for `graceSeconds`, and have no command on its way. */
export async function findStalledSources(session: Session, graceSeconds: number, limit: number): Promise<OwedSource[]> {
  return query(session, stalledSources, [graceSeconds, limit]);
}

const stalledPostbacks = statement<{ sourceId: string }>(
  'find-stalled-postbacks',
  `select p.source_id as "sourceId" from postbacks p join sources s on s.id = p.source_id
   where p.state = 'pending' and p.checked_at < now() - make_interval(secs => $1)
     and s.status not in ('CREATED', 'PENDING', 'PROCESSING')
     and not exists (select from outbox o where o.source_id = p.source_id)
   group by p.source_id order by min(p.checked_at) limit $2`,
);

/** Ended sources with a pending postback that was not looked at for `graceSeconds`, and no command on its way. */
export async function findStalledPostbacks(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<{ sourceId: string }[]> {
  return query(session, stalledPostbacks, [graceSeconds, limit]);
}
