import { queryOne, type Session, statement } from '../sql.ts';

export interface PostbackSecretRow {
  secret: string;
  /** Null once it has expired. */
  previousSecret: string | null;
  previousExpiresAt: Date | null;
}

const read = statement<PostbackSecretRow>(
  'read-postback-secret',
  `select postback_secret as secret,
     case when previous_postback_secret_expires_at > now() then previous_postback_secret end as "previousSecret",
     case when previous_postback_secret_expires_at > now() then previous_postback_secret_expires_at end as "previousExpiresAt"
   from users where id = $1`,
);

/** What signs this user's postbacks now. */
export async function readPostbackSecret(session: Session, userId: string): Promise<PostbackSecretRow> {
  const row = await queryOne(session, read, [userId]);
  if (row === null) throw new Error('The caller is a user.');
  return row;
}
