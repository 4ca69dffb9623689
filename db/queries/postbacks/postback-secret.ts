import { queryOne, type Session, statement } from '../../sql.ts';

/** A user's postback secrets, encrypted (platform/secrets.ts). */
export interface StoredPostbackSecret {
  /** Null until it is first needed. */
  secret: string | null;
  /** Null once it has expired. */
  previousSecret: string | null;
  previousExpiresAt: Date | null;
}

const read = statement<StoredPostbackSecret>(
  'read-postback-secret',
  `select postback_secret as secret,
     case when previous_postback_secret_expires_at > now() then previous_postback_secret end as "previousSecret",
     case when previous_postback_secret_expires_at > now() then previous_postback_secret_expires_at end as "previousExpiresAt"
   from users where id = $1`,
);

/** The secrets that sign this user's postbacks now, or null when the user does not exist. */
export async function readPostbackSecret(session: Session, userId: string): Promise<StoredPostbackSecret | null> {
  return queryOne(session, read, [userId]);
}
