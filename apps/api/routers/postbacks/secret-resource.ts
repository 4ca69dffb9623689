import type { z } from 'zod';
import type { postbackSecretSchema } from '../../../../contract/resources.ts';
import type { PostbackSecretRow } from '../../../../db/queries/postback-secret.ts';

export type SecretResource = z.infer<typeof postbackSecretSchema>;

/** The secrets as responses show them. */
export function toSecretResource(row: PostbackSecretRow): SecretResource {
  return { ...row, previousExpiresAt: row.previousExpiresAt?.toISOString() ?? null };
}
