import type { z } from 'zod';
import type { apiKeySchema } from '../../../../contract/resources.ts';
import type { StoredKey } from '../../../../db/transitions/users/create-key.ts';

/** A key as the ORM or a statement reads it. */
type Shown = Omit<StoredKey, 'expiresAt' | 'lastUsedAt'> & { expiresAt?: Date | null; lastUsedAt?: Date | null };

/** What may be shown of a key: never the key, nor its hash. */
export function toApiKeyResource(key: Shown): z.infer<typeof apiKeySchema> {
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
