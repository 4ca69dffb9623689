/** PostgreSQL prepares every declared statement, so that a wrong column is found before execution. */
import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { declaredStatements } from '../../db/sql.ts';
import { stack } from '../support/stack.ts';

const folder = new URL('../../db/', import.meta.url);
/** Files without statements; importing some of them needs settings. */
const without = /^(entities|migrations)\/|^mikro-orm/;

test('PostgreSQL prepares every declared statement', async () => {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts') && !without.test(file)) await import(new URL(file, folder).href);
  }
  const statements = declaredStatements();
  expect(statements.length).toBeGreaterThan(20);
  const client = new Client({ connectionString: stack().settings.DATABASE_URL });
  await client.connect();
  const rejected: string[] = [];
  for (const { name, text } of statements) {
    await client
      .query(`prepare "${name}" as ${text}`)
      .catch((error: Error) => rejected.push(`${name}: ${error.message}`));
  }
  await client.end();
  expect(rejected).toEqual([]);
});
