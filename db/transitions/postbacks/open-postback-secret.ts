/** The secret that signs a user's postbacks: created on first use and stored encrypted. */
import type { Secrets } from '../../../platform/secrets.ts';
import { createWebhookSecret } from '../../../platform/webhook.ts';
import { readPostbackSecret, type StoredPostbackSecret } from '../../queries/postbacks/postback-secret.ts';
import { query, type Session, statement } from '../../sql.ts';

/** Plain-text `whsec_` secrets (Standard Webhooks). */
export interface PostbackSecret {
  secret: string;
  /** Null once it has expired. */
  previousSecret: string | null;
  previousExpiresAt: Date | null;
}

// Of concurrent calls, the first one's secret stays.
const make = statement(
  'make-postback-secret',
  'update users set postback_secret = $2 where id = $1 and postback_secret is null',
);

/**
 * Returns the decrypted secrets that sign this user's postbacks now; creates one if there is none.
 * @param stored the encrypted secrets if already read, which saves a query.
 * @throws SecretsKeyError when the settings lack the key that decrypts them.
 */
export async function openPostbackSecret(
  session: Session,
  secrets: Secrets,
  userId: string,
  stored?: StoredPostbackSecret,
): Promise<PostbackSecret> {
  let row = stored ?? (await readPostbackSecret(session, userId));
  if (row?.secret === null) {
    await query(session, make, [userId, secrets.encrypt(createWebhookSecret(), userId)]);
    row = await readPostbackSecret(session, userId);
  }
  if (row === null || row.secret === null) throw new Error('The user of a postback secret is gone.');
  return {
    ...row,
    secret: secrets.decrypt(row.secret, userId),
    previousSecret: row.previousSecret === null ? null : secrets.decrypt(row.previousSecret, userId),
  };
}
