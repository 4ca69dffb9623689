import type { Database } from '../../../db/orm.ts';
import { findKey, touchKey } from '../../../db/queries/users/find-key.ts';
import { hashOf, isWellFormedKey } from '../../../platform/api-key.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Caller } from './caller.ts';
import { coalesce } from './coalesce.ts';

/** Minimum interval between two writes of a key's `lastUsedAt`. */
const TOUCH_EVERY_MS = 60_000;

export interface Authenticated extends Caller {
  lastUsedAt: Date | null;
}

/** Finds the caller of a request by its API key. */
export interface Authenticator {
  /** The owner of the valid key in an Authorization header (RFC 6750), or null. */
  authenticate(authorization: string | undefined): Promise<Authenticated | null>;
  /** Records the use of a key, without waiting for the write. */
  noteUse(caller: Authenticated): void;
}

/** Each request reads its key from the database, so that deleted, expired and disabled keys fail immediately. */
export function createAuthenticator(database: Database, logger: Logger): Authenticator {
  const find = coalesce<Buffer, Authenticated | null>(async (_, hashes) => {
    const [hash] = hashes;
    const row = hash === undefined ? null : await findKey(database.pool, hash);
    return hashes.map(() => row);
  });

  return {
    async authenticate(authorization) {
      const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (key === undefined || !isWellFormedKey(key)) return null;
      const hash = hashOf(key);
      return find(hash.toString('base64'), hash);
    },
    noteUse({ keyId, lastUsedAt }) {
      if (lastUsedAt !== null && Date.now() - lastUsedAt.getTime() <= TOUCH_EVERY_MS) return;
      touchKey(database.pool, keyId).catch((error: unknown) =>
        logger.warn({ event: 'key.touch_failed', keyId, err: error }),
      );
    },
  };
}
