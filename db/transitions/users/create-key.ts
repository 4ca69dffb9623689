import { v7 as uuidv7 } from 'uuid';
import type { Scope } from '../../../contract/statuses.ts';
import { createKey as randomKey } from '../../../platform/api-key.ts';
import { queryOne, type Session, statement } from '../../sql.ts';

export interface NewApiKey {
  userId: string;
  name: string;
  scopes: Scope[];
  /** Null: it does not expire. */
  expiresAt: Date | null;
}

/** What is kept of a key and may be shown. */
export interface StoredKey {
  id: string;
  name: string;
  prefix: string;
  last4: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

const insert = statement<StoredKey>(
  'create-key',
  `insert into api_keys (id, user_id, name, key_hash, prefix, last4, scopes, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   returning id, name, prefix, last4, scopes, created_at as "createdAt", expires_at as "expiresAt",
     last_used_at as "lastUsedAt"`,
);

/** Creates a key and returns it: the only time that the key itself is known. */
export async function createKey(
  session: Session,
  { userId, name, scopes, expiresAt }: NewApiKey,
): Promise<StoredKey & { key: string }> {
  const { key, keyHash, prefix, last4 } = randomKey();
  const values = [uuidv7(), userId, name, keyHash, prefix, last4, scopes, expiresAt];
  const stored = await queryOne(session, insert, values);
  if (stored === null) throw new Error('A key was inserted and not returned.');
  return { ...stored, key };
}

const remove = statement<{ id: string }>(
  'delete-key',
  'delete from api_keys where id = $1 and user_id = $2 returning id',
);

/** Deletes a key of a user, once the writes that it makes have ended; false when there is none. */
export async function deleteKey(session: Session, userId: string, keyId: string): Promise<boolean> {
  return (await queryOne(session, remove, [keyId, userId])) !== null;
}
