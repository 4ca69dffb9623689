/** Encrypts postback secrets that are stored as plain text, by an older version, or under an earlier key. */
import { type Secrets, SecretsKeyError } from '../../../platform/secrets.ts';
import { query, type Session, statement } from '../../sql.ts';

const BATCH = 500;
/** Prefix of a plain-text secret (Standard Webhooks). */
const PLAIN = 'whsec_';

interface StoredSecrets {
  id: string;
  secret: string | null;
  previousSecret: string | null;
}

const find = statement<StoredSecrets>(
  'find-secrets-to-encrypt',
  `select id, postback_secret as secret, previous_postback_secret as "previousSecret" from users
   where starts_with(postback_secret, $1) <> $2 or starts_with(previous_postback_secret, $1) <> $2
   order by id limit $3`,
);

// Changes nothing if a secret was rotated meanwhile: then it is encrypted already.
const replace = statement(
  'replace-encrypted-secrets',
  `update users set postback_secret = $4, previous_postback_secret = $5
   where id = $1 and postback_secret is not distinct from $2 and previous_postback_secret is not distinct from $3`,
);

/** Encrypts every secret in the batches of `next` until one is empty; returns the number of users. */
async function encryptAll(session: Session, secrets: Secrets, next: () => Promise<StoredSecrets[]>): Promise<number> {
  let users = 0;
  for (let batch = await next(); batch.length > 0; batch = await next()) {
    for (const { id, secret, previousSecret } of batch) {
      const encrypted = (stored: string | null) => {
        if (stored === null || stored.startsWith(secrets.prefix)) return stored;
        return secrets.encrypt(stored.startsWith(PLAIN) ? stored : secrets.decrypt(stored, id), id);
      };
      await query(session, replace, [id, secret, previousSecret, encrypted(secret), encrypted(previousSecret)]);
    }
    users += batch.length;
  }
  return users;
}

/**
 * Encrypts with SECRETS_KEY the secrets that were encrypted with an earlier key; returns the number of users.
 * @throws SecretsKeyError when a secret cannot be decrypted.
 */
export async function reencryptSecrets(session: Session, secrets: Secrets): Promise<number> {
  return encryptAll(session, secrets, () => query(session, find, [secrets.prefix, true, BATCH]));
}

// DDL cannot be prepared.
const validate = `alter table users validate constraint users_postback_secret_check,
  validate constraint users_previous_postback_secret_check`;

/**
 * Encrypts plain-text secrets, and validates the constraints that reject them; returns the number of users.
 * @throws SecretsKeyError when there are plain-text secrets and `secrets` is null.
 */
export async function encryptPlainSecrets(session: Session, secrets: Secrets | null): Promise<number> {
  const next = () => query(session, find, [PLAIN, false, BATCH]);
  let users = 0;
  if ((await next()).length > 0) {
    if (secrets === null) {
      throw new SecretsKeyError('The database has plain-text secrets. Set SECRETS_KEY to encrypt them.');
    }
    users = await encryptAll(session, secrets, next);
  }
  await session.query(validate);
  return users;
}
