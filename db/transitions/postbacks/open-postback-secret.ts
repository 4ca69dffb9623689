/** The secret that signs a user's postbacks: made when it is first needed, encrypted where it lies. */
import type { Secrets } from '../../../platform/secrets.ts';
import { createWebhookSecret } from '../../../platform/webhook.ts';
import { readPostbackSecret, type StoredPostbackSecret } from '../../queries/postbacks/postback-secret.ts';
import { query, type Session, statement } from '../../sql.ts';

/** `whsec_` secrets, as Standard Webhooks has them. */
export interface PostbackSecret {
  secret: string;
  /** Null once it has expired. */
  previousSecret: string | null;
  previousExpiresAt: Date | null;
}

// Of several that make one at the same time, the first stays.
const make = statement(
  'make-postback-secret',
  'update users set postback_secret = $2 where id = $1 and postback_secret is null',
);

/**
 * What signs this user's postbacks now.
 * @param stored what was read before, to spare a question.
 * @throws SecretsKeyError where the settings lack its key.
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
