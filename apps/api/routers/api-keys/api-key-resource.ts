import type { InferEntity } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { apiKeySchema } from '../../../../contract/resources.ts';
import type { ApiKey } from '../../../../db/entities/api-key.ts';

/** What may be shown of a key: never the key, nor its hash. */
export function toApiKeyResource(key: InferEntity<typeof ApiKey>): z.infer<typeof apiKeySchema> {
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
