/** PostgreSQL reads every statement of ours, so that one with a wrong column is found before it is run. */
import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { declaredStatements } from '../../db/sql.ts';
import { stack } from '../support/stack.ts';

const folder = new URL('../../db/', import.meta.url);
/** Those without statements, of which some need settings to be imported. */
const without = /^(entities|migrations)\/|^mikro-orm/;

test('PostgreSQL prepares every declared statement', async () => {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts') && !without.test(file)) await import(new URL(file, folder).href);
  }
  const statements = declaredStatements();
  expect(statements.length).toBeGreaterThan(20);
  const client = new Client({ connectionString: stack().settings.DATABASE_URL });
  await client.connect();
  const refused: string[] = [];
  for (const { name, text } of statements) {
    await client
      .query(`prepare "${name}" as ${text}`)
      .catch((error: Error) => refused.push(`${name}: ${error.message}`));
  }
  await client.end();
  expect(refused).toEqual([]);
});
