import { queryOne, type Session, statement } from '../../sql.ts';

export interface Backlog {
  /** Commands that Temporal has not taken yet, and the age of the oldest in seconds (0 without one). */
  commands: number;
  oldestCommandSeconds: number;
  /** Postbacks that are still tried, and by how many seconds the next attempt of one is late at most. */
  postbacks: number;
  latestAttemptSeconds: number;
}

const backlog = statement<Backlog>(
  'backlog',
  `select o.commands, o.seconds as "oldestCommandSeconds", p.postbacks, p.seconds as "latestAttemptSeconds"
   from (select count(*)::int as commands,
           coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds from outbox) o,
     (select count(*)::int as postbacks,
        greatest(extract(epoch from now() - min(next_attempt_at)), 0)::float8 as seconds
      from postbacks where state = 'pending') p`,
);

/** How much waits for Temporal and for receivers. */
export async function readBacklog(session: Session): Promise<Backlog> {
  const found = await queryOne(session, backlog, []);
  if (found === null) throw new Error('PostgreSQL did not count the backlog.');
  return found;
}
