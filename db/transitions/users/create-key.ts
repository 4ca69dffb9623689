import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { createKey as randomKey } from '../../../platform/api-key.ts';
import { ApiKey } from '../../entities/api-key.ts';

type ApiKeyRow = InferEntity<typeof ApiKey>;

/** The stored, non-secret fields of a key. */
export type StoredKey = Pick<
  ApiKeyRow,
  'id' | 'name' | 'prefix' | 'last4' | 'scopes' | 'createdAt' | 'expiresAt' | 'lastUsedAt'
>;

/** Creates a key and returns it with its secret `key`, which is not stored. `expiresAt` null: no expiry. */
export async function createKey(
  em: EntityManager,
  { userId, name, scopes, expiresAt }: Pick<ApiKeyRow, 'userId' | 'name' | 'scopes' | 'expiresAt'>,
): Promise<StoredKey & { key: string }> {
  const { key, keyHash, prefix, last4 } = randomKey();
  const stored = em.create(ApiKey, { id: uuidv7(), userId, name, keyHash, prefix, last4, scopes, expiresAt });
  await em.flush();
  const { id, createdAt } = stored;
  return { key, id, name, prefix, last4, scopes, createdAt, expiresAt, lastUsedAt: null };
}

/** Deletes a key of a user after its running writes have ended. False when it does not exist. */
export async function deleteKey(em: EntityManager, userId: string, keyId: string): Promise<boolean> {
  return (await em.nativeDelete(ApiKey, { id: keyId, userId })) > 0;
}
