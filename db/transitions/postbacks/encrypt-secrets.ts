/** Secrets that lie in the database in plain, from before they were encrypted, or under an earlier key. */
import { type Secrets, SecretsKeyError } from '../../../platform/secrets.ts';
import { query, type Session, statement } from '../../sql.ts';

const BATCH = 500;
/** How a secret of Standard Webhooks begins: in plain. */
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

// One that was rotated meanwhile is encrypted already.
const replace = statement(
  'replace-encrypted-secrets',
  `update users set postback_secret = $4, previous_postback_secret = $5
   where id = $1 and postback_secret is not distinct from $2 and previous_postback_secret is not distinct from $3`,
);

/** Encrypts every secret that `find` gives until there is none; returns of how many users. */
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
 * Encrypts with SECRETS_KEY what was encrypted with an earlier key; returns of how many users.
 * @throws SecretsKeyError where one does not open.
 */
export async function reencryptSecrets(session: Session, secrets: Secrets): Promise<number> {
  return encryptAll(session, secrets, () => query(session, find, [secrets.prefix, true, BATCH]));
}

// Nothing that can be prepared.
const validate = `alter table users validate constraint users_postback_secret_check,
  validate constraint users_previous_postback_secret_check`;

/**
 * Encrypts secrets that lie there in plain, and from then on the database refuses such; returns of how many users.
 * @throws SecretsKeyError where there are some, and `secrets` is null.
 */
export async function encryptPlainSecrets(session: Session, secrets: Secrets | null): Promise<number> {
  const next = () => query(session, find, [PLAIN, false, BATCH]);
  let users = 0;
  if ((await next()).length > 0) {
    if (secrets === null) {
      throw new SecretsKeyError('The database holds secrets in plain. Set SECRETS_KEY, so that they are encrypted.');
    }
    users = await encryptAll(session, secrets, next);
  }
  await session.query(validate);
  return users;
}
