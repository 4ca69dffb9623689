import { query, type Session, statement } from '../sql.ts';

const rotate = statement(
  'rotate-postback-secret',
  `update users set postback_secret = $2, previous_postback_secret = postback_secret,
     previous_postback_secret_expires_at = now() + interval '24 hours', updated_at = now()
   where id = $1`,
);

/** Gives a user a new secret; the one until now signs too for 24 h, in place of one before that. */
export async function rotatePostbackSecret(session: Session, userId: string, secret: string): Promise<void> {
  await query(session, rotate, [userId, secret]);
}
