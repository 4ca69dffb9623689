/** Write transactions. The key must be valid during the transaction: a deleted or expired key writes nothing. */
import { lockKey, usableKeys } from '../../db/queries/users/find-key.ts';
import { type Transaction, transaction } from '../../db/sql.ts';
import type { Config } from '../../platform/config.ts';
import type { Caller } from './admission/caller.ts';
import { FairShare } from './admission/fair-share.ts';
import type { RequestContext } from './context.ts';
import { unauthorized } from './errors.ts';

interface Writer extends Pick<RequestContext, 'database' | 'writes'> {
  caller: Caller;
}

const WAIT_TIMEOUT_MS = 30_000;

/** Limits concurrent write transactions: one owner takes at most a quarter of the connections. */
export function createWrites({ DATABASE_POOL_MAX: max }: Pick<Config, 'DATABASE_POOL_MAX'>): FairShare {
  return new FairShare({ max, maxPerOwner: Math.ceil(max / 4), waitTimeoutMs: WAIT_TIMEOUT_MS });
}

/**
 * Runs `work` in one transaction that locks the caller's key: a deletion of the key waits for its end.
 * @throws AppError 401 when the key is no longer valid, 503 when no transaction is free for the owner within 30 s; the
 *   errors of `work`
 */
export async function writeWithKey<T>(
  { database, writes, caller }: Writer,
  work: (session: Transaction) => Promise<T>,
): Promise<T> {
  // Without an abort signal: after a disconnect the request may be partly done, and its repetition needs the response.
  const release = await writes.take(caller.userId, 1);
  try {
    return await transaction(database, async (session) => {
      if (!(await lockKey(session, caller.keyId))) throw unauthorized();
      return work(session);
    });
  } finally {
    release();
  }
}

/** Checks the key again after the body was read. @throws AppError 401 when it is no longer valid */
export async function recheckKey({ database, caller }: Pick<Writer, 'database' | 'caller'>): Promise<void> {
  const usable = await usableKeys(database.pool, [caller.keyId]);
  if (!usable.has(caller.keyId)) throw unauthorized();
}
