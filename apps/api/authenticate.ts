import type { Database } from '../../db/orm.ts';
import { findKey, touchKey } from '../../db/queries/find-key.ts';
import { hashOf, isWellFormedKey } from '../../platform/api-key.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Caller } from './context.ts';

/** `lastUsedAt` is written at most this often for a key. */
const TOUCH_EVERY_MS = 60_000;

/** The caller that an Authorization header (RFC 6750) names, or null. Deleted and expired keys count at once. */
export async function authenticate(
  database: Database,
  logger: Logger,
  authorization: string | undefined,
): Promise<Caller | null> {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined || !isWellFormedKey(key)) return null;
  const row = await findKey(database.pool, hashOf(key));
  if (row === null) return null;
  if (row.lastUsedAt === null || Date.now() - row.lastUsedAt.getTime() > TOUCH_EVERY_MS) {
    touchKey(database.pool, row.keyId).catch((error: unknown) =>
      logger.warn({ event: 'key.touch_failed', keyId: row.keyId, err: error }),
    );
  }
  return { userId: row.userId, plan: row.plan, keyId: row.keyId, scopes: row.scopes, keyExpiresAt: row.keyExpiresAt };
}
