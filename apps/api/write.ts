/** Writes are made by a key that is usable while they are made: one that was deleted or expired meanwhile writes nothing. */
import { holdKey, usableKeys } from '../../db/queries/find-key.ts';
import { type Session, transaction } from '../../db/sql.ts';
import type { Caller } from './caller.ts';
import type { ApiDependencies } from './context.ts';
import { unauthorized } from './errors.ts';

interface Writer extends Pick<ApiDependencies, 'database'> {
  caller: Caller;
}

/**
 * Runs `work` in one transaction that holds the caller's key: who deletes it waits for the end.
 * @throws AppError 401 when the key is usable no more; whatever `work` throws.
 */
export function writeWithKey<T>({ database, caller }: Writer, work: (session: Session) => Promise<T>): Promise<T> {
  return transaction(database, async (session) => {
    if (!(await holdKey(session, caller.keyId))) throw unauthorized();
    return work(session);
  });
}

/** Judges a key again, once the body of its request is there. @throws AppError 401 when it is usable no more. */
export async function judgeKeyAgain({ database, caller }: Writer): Promise<void> {
  const usable = await usableKeys(database.pool, [caller.keyId]);
  if (!usable.has(caller.keyId)) throw unauthorized();
}
