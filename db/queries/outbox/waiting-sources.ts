import { query, type Session, statement } from '../../sql.ts';

const waiting = statement<{ id: string }>(
  'waiting-sources',
  `select s.id from sources s join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = any($1::uuid[])
     and (s.status in ('CREATED', 'PENDING') or (s.status = 'PROCESSING' and g.stage = 'begin' and not g.fetches))
     and not exists (select from outbox o where o.source_id = s.id)`,
);

/**
 * Those of the sources whose run waits for a worker: it has not begun, or has nothing to fetch and is not extracted yet.
 * One that fetches may wait for pages or members for long, and must not keep its owner's texts back. Not one with a command
 * in the outbox, which would wait for itself there.
 */
export async function waitingSources(session: Session, sourceIds: string[]): Promise<string[]> {
  return (await query(session, waiting, [sourceIds])).map(({ id }) => id);
}
