import { query, type Session, statement } from '../../sql.ts';

const waiting = statement<{ id: string }>(
  'waiting-sources',
  `select s.id from sources s join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = any($1::uuid[])
     and (s.status in ('CREATED', 'PENDING') or (s.status = 'PROCESSING' and g.stage = 'begin' and not g.fetches))
     and not exists (select from outbox o where o.source_id = s.id)`,
);

/**
 * Returns the ids of the sources whose run waits for a worker: it has not begun, or it needs no fetch and extraction
 * has not begun. Runs that fetch are excluded: they may wait long for pages or members, and must not delay other
 * sources of their owner. Sources with a command in the outbox are excluded too: that command would wait for itself.
 */
export async function waitingSources(session: Session, sourceIds: string[]): Promise<string[]> {
  return (await query(session, waiting, [sourceIds])).map(({ id }) => id);
}
