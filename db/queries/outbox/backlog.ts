import { queryOne, type Session, statement } from '../../sql.ts';

export interface Backlog {
  /** Commands not yet sent to Temporal, and the age of the oldest in seconds (0 without one). */
  commands: number;
  oldestCommandSeconds: number;
  /** Pending postbacks, and the delay of the most overdue attempt in seconds (0 if none is overdue). */
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

/** Counts the pending commands and postbacks. */
export async function readBacklog(session: Session): Promise<Backlog> {
  const found = await queryOne(session, backlog, []);
  if (found === null) throw new Error('PostgreSQL did not count the backlog.');
  return found;
}
