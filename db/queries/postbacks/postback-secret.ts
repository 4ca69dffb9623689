import { queryOne, type Session, statement } from '../../sql.ts';

/** Encrypted (platform/secrets.ts). */
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

/** What signs this user's postbacks now. Null: there is no such user. */
export async function readPostbackSecret(session: Session, userId: string): Promise<StoredPostbackSecret | null> {
  return queryOne(session, read, [userId]);
}
