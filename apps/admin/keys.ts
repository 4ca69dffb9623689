/** An API key in the output of commands, without the key itself. */
import type { StoredKey } from '../../db/transitions/users/create-key.ts';

export function keyData({ id, name, prefix, last4, scopes, createdAt, expiresAt, lastUsedAt }: StoredKey) {
  return {
    id,
    name,
    prefix,
    last4,
    scopes,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
