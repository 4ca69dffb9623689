/** Fetches of an owner from one host, counted per minute; a minute begins with its first fetch. */
import { query, queryOne, type Session, statement } from './sql.ts';

const overAt = "h.begun_at + interval '1 minute'";

const take = statement<{ host: string }>(
  'take-host-fetch',
  `insert into host_fetches as h (owner_id, host) values ($1, $2)
   on conflict (owner_id, host) do update set
     begun_at = case when ${overAt} <= now() then now() else h.begun_at end,
     fetches = case when ${overAt} <= now() then 1 else h.fetches + 1 end
   where ${overAt} <= now()
     or h.fetches < (select case plan when 'pro' then $4::int else $3::int end from users where id = $1)
   returning host`,
);

const left = statement<{ waitMs: number }>(
  'wait-for-host-fetch',
  `select greatest(extract(epoch from ${overAt} - now()) * 1000, 0)::int as "waitMs" from host_fetches h
   where owner_id = $1 and host = $2`,
);

/**
 * Counts a fetch of the owner from this host. Returns 0 when it may be made now, else the milliseconds until the next
 * minute. `limits` are fetches per minute by plan.
 */
export async function countHostFetch(
  session: Session,
  ownerId: string,
  host: string,
  limits: { free: number; pro: number },
): Promise<number> {
  if ((await queryOne(session, take, [ownerId, host, limits.free, limits.pro])) !== null) return 0;
  return Math.max((await queryOne(session, left, [ownerId, host]))?.waitMs ?? 0, 1);
}

const sweep = statement<{ host: string }>(
  'sweep-host-fetches',
  `delete from host_fetches where (owner_id, host) in (
     select owner_id, host from host_fetches where begun_at < now() - interval '1 minute' limit $1)
   returning host`,
);

/** Removes up to `limit` counts whose minute is over; returns how many. */
export async function removeOldFetchCounts(session: Session, limit: number): Promise<number> {
  return (await query(session, sweep, [limit])).length;
}
