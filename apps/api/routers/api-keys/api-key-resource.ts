import type { z } from 'zod';
import type { apiKeySchema } from '../../../../contract/resources.ts';
import type { StoredKey } from '../../../../db/transitions/users/create-key.ts';

/** A key as the ORM or a statement returns it. */
type KeyRow = Omit<StoredKey, 'expiresAt' | 'lastUsedAt'> & { expiresAt?: Date | null; lastUsedAt?: Date | null };

/** A key as responses show it: without the key itself and its hash. */
export function toApiKeyResource(key: KeyRow): z.infer<typeof apiKeySchema> {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    scopes: key.scopes,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}
