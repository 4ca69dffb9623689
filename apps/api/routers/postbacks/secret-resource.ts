import type { z } from 'zod';
import type { postbackSecretSchema } from '../../../../contract/resources.ts';
import type { PostbackSecret } from '../../../../db/transitions/postbacks/open-postback-secret.ts';

export type SecretResource = z.infer<typeof postbackSecretSchema>;

/** The secrets as responses show them. */
export function toSecretResource(secret: PostbackSecret): SecretResource {
  return { ...secret, previousExpiresAt: secret.previousExpiresAt?.toISOString() ?? null };
}
