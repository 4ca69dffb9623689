import { Client } from 'pg';

/** One with the newest schema and without rows, to be copied: migrations take seconds. */
export const MIGRATED_DATABASE = 'migrated';

/** Makes a database on the server of `serverUrl` as a copy of another one, and returns its address. */
export async function createDatabase(serverUrl: string, name: string, template: string): Promise<string> {
  const at = (database: string) => Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
  const admin = new Client({ connectionString: at('postgres') });
  await admin.connect();
  await admin.query(`create database "${name}" template "${template}"`);
  await admin.end();
  return at(name);
}
