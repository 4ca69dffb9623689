import type { Secrets } from '../../../platform/secrets.ts';
import { createWebhookSecret } from '../../../platform/webhook.ts';
import { query, type Session, statement } from '../../sql.ts';
import { openPostbackSecret, type PostbackSecret } from './open-postback-secret.ts';

const rotate = statement(
  'rotate-postback-secret',
  `update users set postback_secret = $2, previous_postback_secret = postback_secret,
     previous_postback_secret_expires_at = now() + interval '24 hours', updated_at = now()
   where id = $1`,
);

/**
 * Gives a user a new secret. The current one becomes the previous one and signs too for 24 h. Returns both. Runs inside
 * the caller's transaction.
 */
export async function rotatePostbackSecret(
  session: Session,
  secrets: Secrets,
  userId: string,
): Promise<PostbackSecret> {
  // Creates the secret that becomes the previous one, if there is none.
  await openPostbackSecret(session, secrets, userId);
  await query(session, rotate, [userId, secrets.encrypt(createWebhookSecret(), userId)]);
  return openPostbackSecret(session, secrets, userId);
}
