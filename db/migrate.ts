/** `npm run migrate`: brings the database at DATABASE_URL to the newest schema. Safe to run twice and at once. */
import { fileURLToPath } from 'node:url';
import { MikroORM } from '@mikro-orm/postgresql';
import { type Config, databaseUrlForTools, secretsKeysForTools } from '../platform/config.ts';
import { createSecrets } from '../platform/secrets.ts';
import { migrating, ormConfig } from './mikro-orm.config.ts';
import { encryptPlainSecrets } from './transitions/postbacks/encrypt-secrets.ts';

/** Any fixed number: two migrations at once wait for each other by it. */
const MIGRATION_LOCK = 4_250_016;

/**
 * Applies the migrations that are missing and returns their names. No time limit interrupts one. What an older schema
 * held in plain is encrypted with `keys`.
 * @throws SecretsKeyError where there is something in plain, and no key.
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
