/** PostgreSQL reads every statement of ours, so that one with a wrong column is found before it is run. */
import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { declaredStatements } from '../../db/sql.ts';
import { stack } from '../support/stack.ts';

const folders = ['queries', 'transitions'].map((name) => new URL(`../../db/${name}/`, import.meta.url));

test('PostgreSQL prepares every declared statement', async () => {
  for (const folder of folders) {
    for (const file of readdirSync(folder)) await import(new URL(file, folder).href);
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
