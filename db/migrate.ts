/** `npm run migrate`: migrates the database at DATABASE_URL to the newest schema. Idempotent, also when concurrent. */
import { fileURLToPath } from 'node:url';
import { MikroORM } from '@mikro-orm/postgresql';
import { type Config, databaseUrlForTools, secretsKeysForTools } from '../platform/config.ts';
import { createSecrets } from '../platform/secrets.ts';
import { migrating, ormConfig } from './mikro-orm.config.ts';
import { encryptPlainSecrets } from './transitions/postbacks/encrypt-secrets.ts';

/** Advisory lock, any fixed number: concurrent migrations wait for each other. */
const MIGRATION_LOCK = 4_250_016;

/**
 * Applies the pending migrations, without a statement time-out, and returns their names. Secrets that an older schema
 * stored as plain text are encrypted with `keys`.
 * @throws SecretsKeyError when there are plain-text secrets and no key.
 */
export async function migrate(
  url: string,
  keys: Pick<Config, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'> | null = null,
): Promise<string[]> {
  const orm = await MikroORM.init(ormConfig(url, 4, migrating));
  try {
    const pool = await orm.em.getConnection().getNativeClient();
    const client = await pool.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const applied = await orm.migrator.up();
      await encryptPlainSecrets(client, keys && createSecrets(keys));
      return applied.map((migration) => migration.name);
    } finally {
      await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      client.release();
    }
  } finally {
    await orm.close(true);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const applied = await migrate(databaseUrlForTools(), secretsKeysForTools());
  process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
}
