/** An owner's usage of the plan's quotas. */
import { query, queryOne, type Session, statement } from '../../sql.ts';

export interface Usage {
  /** Sources that are not deleted, nor in a deleted space. */
  sources: number;
  /** Bytes of uploads, contents and results, until they are purged. */
  storedBytes: number;
}

// Triggers write the summands that measure_usage adds up (Migration20261122223000_narrow_updates).
const measured = statement<Usage>(
  'measure-usage',
  'select sources, stored_bytes as "storedBytes" from measure_usage($1)',
);

export async function readUsage(session: Session, ownerId: string): Promise<Usage> {
  return (await queryOne(session, measured, [ownerId])) ?? { sources: 0, storedBytes: 0 };
}

const locked = statement<Usage>('lock-usage', 'select sources, stored_bytes as "storedBytes" from lock_usage($1)');

/**
 * Returns the usage, uncommitted writes of the session's transaction included, and locks it: concurrent calls wait
 * until that transaction ends.
 */
export async function lockUsage(session: Session, ownerId: string): Promise<Usage> {
  return (await queryOne(session, locked, [ownerId])) ?? { sources: 0, storedBytes: 0 };
}

const openRuns = statement<{ count: number }>(
  'count-open-runs',
  'select count(*) as count from sources where owner_id = $1 and run_open',
);

/** Number of started runs whose generation has not ended, without those that wait for members. */
export async function countOpenRuns(session: Session, ownerId: string): Promise<number> {
  return (await queryOne(session, openRuns, [ownerId]))?.count ?? 0;
}

export interface HostFetches {
  host: string;
  fetches: number;
}

const fetches = statement<HostFetches>(
  'list-host-fetches',
  `select host, fetches from host_fetches where owner_id = $1 and begun_at > now() - interval '1 minute'
   order by fetches desc, host limit $2`,
);

/** The hosts with the most fetches of an owner in the current minute, at most `limit`. */
export async function listHostFetches(session: Session, ownerId: string, limit: number): Promise<HostFetches[]> {
  return query(session, fetches, [ownerId, limit]);
}
