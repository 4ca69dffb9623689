/** Writes are made by a key that is usable while they are made: one that was deleted or expired meanwhile writes nothing. */
import { holdKey, usableKeys } from '../../db/queries/users/find-key.ts';
import { type Session, transaction } from '../../db/sql.ts';
import type { Config } from '../../platform/config.ts';
import type { Caller } from './admission/caller.ts';
import { FairShare } from './admission/fair-share.ts';
import type { RequestContext } from './context.ts';
import { unauthorized } from './errors.ts';

interface Writer extends Pick<RequestContext, 'database' | 'writes'> {
  caller: Caller;
}

const PATIENCE_MS = 30_000;

/** Transactions at once: an owner's bulk takes a quarter of the connections, and leaves the others to everybody else. */
export function createWrites({ DATABASE_POOL_MAX: most }: Pick<Config, 'DATABASE_POOL_MAX'>): FairShare {
  return new FairShare({ most, mostOfOwner: Math.ceil(most / 4), patienceMs: PATIENCE_MS });
}

/**
 * Runs `work` in one transaction that holds the caller's key: who deletes it waits for the end.
 * @throws AppError 401 when the key is usable no more, 503 when its owner's writes leave no room for long; whatever
 *   `work` throws.
 */
export async function writeWithKey<T>(
  { database, writes, caller }: Writer,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  // Also for a client that is gone: what it asked for may be done in part already, and its repetition is to find that.
  const release = await writes.take(caller.userId, 1);
  try {
    return await transaction(database, async (session) => {
      if (!(await holdKey(session, caller.keyId))) throw unauthorized();
      return work(session);
    });
  } finally {
    release();
  }
}

/** Judges a key again, once the body of its request is there. @throws AppError 401 when it is usable no more. */
export async function judgeKeyAgain({ database, caller }: Pick<Writer, 'database' | 'caller'>): Promise<void> {
  const usable = await usableKeys(database.pool, [caller.keyId]);
  if (!usable.has(caller.keyId)) throw unauthorized();
}
