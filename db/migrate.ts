/** `npm run migrate`: brings the database at DATABASE_URL to the newest schema. Safe to run twice and at once. */
import { fileURLToPath } from 'node:url';
import { databaseUrlForTools } from '../platform/config.ts';
import { type Database, openDatabase } from './orm.ts';

/** Any fixed number: two migrations at once wait for each other by it. */
const MIGRATION_LOCK = 4_250_016;

/** Applies the migrations that are missing and returns their names. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await database.orm.migrator.up();
    return applied.map((migration) => migration.name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    client.release();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const database = await openDatabase(databaseUrlForTools(), 4);
  try {
    const applied = await migrate(database);
    process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
  } finally {
    await database.close();
  }
}
