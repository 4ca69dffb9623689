import type { ApiKey } from '../../entities/api-key.ts';
import type { ColumnsOf } from '../../entities/columns-of.ts';
import type { User } from '../../entities/user.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';

/** SQL condition: the key `k` of the user `u` is usable. */
const isUsable = '(k.expires_at is null or k.expires_at > now()) and u.disabled_at is null';

export interface KeyOwner
  extends ColumnsOf<typeof ApiKey, 'userId' | 'scopes' | 'lastUsedAt'>,
    ColumnsOf<typeof User, 'plan'> {
  keyId: string;
  keyExpiresAt: Date | null;
}

const find = statement<KeyOwner>(
  'find-key',
  `select k.id as "keyId", k.user_id as "userId", u.plan, k.scopes, k.expires_at as "keyExpiresAt", k.last_used_at as "lastUsedAt"
   from api_keys k join users u on u.id = k.user_id
   where k.key_hash = $1 and ${isUsable}`,
);

/** The usable key with this SHA-256, or null. */
export async function findKey(session: Session, keyHash: Buffer): Promise<KeyOwner | null> {
  return queryOne(session, find, [keyHash]);
}

// The condition limits updates to one a minute across all API processes.
const touch = statement(
  'touch-key',
  `update api_keys set last_used_at = now()
   where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
);

/** Records the use of a key, at most once a minute. */
export async function touchKey(session: Session, keyId: string): Promise<void> {
  await query(session, touch, [keyId]);
}

const usable = statement<{ id: string }>(
  'usable-keys',
  `select k.id from api_keys k join users u on u.id = k.user_id
   where k.id = any ($1::uuid[]) and ${isUsable}`,
);

/** Returns the ids of the usable keys among `keyIds`. */
export async function usableKeys(session: Session, keyIds: string[]): Promise<Set<string>> {
  const rows = await query(session, usable, [keyIds]);
  return new Set(rows.map(({ id }) => id));
}

const lock = statement<{ id: string }>(
  'hold-key',
  `select k.id from api_keys k join users u on u.id = k.user_id where k.id = $1 and ${isUsable} for key share of k`,
);

/** Locks a key against deletion until the caller's transaction ends. False when it is not usable any more. */
export async function lockKey(session: Session, keyId: string): Promise<boolean> {
  return (await queryOne(session, lock, [keyId])) !== null;
}
