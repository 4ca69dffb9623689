/** What the database owes and nobody seems to do: the reconciler's questions, one statement each. */
import type { ArtifactRound } from '../../contract/commands.ts';
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

const stalledArtifacts = statement<ArtifactRound>(
  'find-stalled-artifacts',
  `select a.id as "artifactId", a.round from artifacts a
   where a.status = 'PROCESSING' and a.checked_at < now() - make_interval(secs => $1)
     and not exists (select from outbox o where o.artifact_id = a.id)
   order by a.checked_at limit $2`,
);

/** Artifacts PROCESSING that were not looked at for `graceSeconds`, and have no command on its way. */
export async function findStalledArtifacts(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<ArtifactRound[]> {
  return query(session, stalledArtifacts, [graceSeconds, limit]);
}

const stalledTickets = statement<{ ticketId: string }>(
  'find-stalled-tickets',
  `select t.id as "ticketId" from support_tickets t
   where t.status = 'PENDING' and t.checked_at < now() - make_interval(secs => $1)
     and not exists (select from outbox o where o.ticket_id = t.id)
   order by t.checked_at limit $2`,
);

/** Unsent tickets that were not looked at for `graceSeconds`, and have no command on its way. */
export async function findStalledTickets(
  session: Session,
  graceSeconds: number,
  limit: number,
): Promise<{ ticketId: string }[]> {
  return query(session, stalledTickets, [graceSeconds, limit]);
}
