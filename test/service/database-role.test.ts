/** The service works with the database role of docker-compose.yml, which may only read and write rows. */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

const PASSWORD = 'of-the-role';
const sql = readFileSync(new URL('../../deploy/postgres/roles.sql', import.meta.url), 'utf8');
let service: PrivateService;

async function connected(url: URL, give: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await give(client).finally(() => client.end());
}

/** Runs roles.sql as psql would, in a private cluster. */
async function makeRoles(databaseUrl: string): Promise<{ ofMigrations: string; ofService: string }> {
  const url = new URL(databaseUrl);
  expect(url.pathname).toBe('/context_workspace');
  const parts = sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/:'\w+'/g, `'${PASSWORD}'`)
    .split('\\connect context_workspace');
  expect(parts).toHaveLength(2);
  for (const part of parts) {
    await connected(url, async (client) => {
      for (const statement of part.split(';')) if (statement.trim() !== '') await client.query(statement);
    });
  }
  const as = (role: string) => Object.assign(new URL(url), { username: role, password: PASSWORD }).href;
  return { ofMigrations: as('context_workspace_owner'), ofService: as('context_workspace') };
}

beforeAll(async () => {
  service = await startPrivateService({ own: ['postgres'], beforeMigrations: makeRoles });
  await service.startWorker();
}, 90_000);
afterAll(() => service?.stop());

test('the service processes and deletes with that role, in a database that another role migrated', async () => {
  const user = await service.newUser();
  const { id } = await user.content('Read by a role without other rights.', {});
  await user.reach(id, 'COMPLETED');
  expect(await user.markdown(id)).toContain('without other rights');
  expect((await user.call('DELETE', `/v1/sources/${id}`)).status).toBe(204);
  const { rows } = await service.database.pool.query(
    'select current_user as name, rolsuper or rolcreatedb or rolcreaterole as more from pg_roles where rolname = current_user',
  );
  expect(rows).toEqual([{ name: 'context_workspace', more: false }]);
});

test.each([
  'create table more ()',
  'drop table sources',
  'alter table sources disable trigger all',
  'truncate sources',
  'create or replace function more() returns void language sql as $$$$',
  'create schema more',
])('that role is denied: %s', async (statement) => {
  await expect(service.database.pool.query(statement)).rejects.toThrow(/permission denied|must be owner/);
});

test.each(['temporal', 'temporal_visibility'])('only the role temporal can connect to %s', async (name) => {
  const url = new URL(service.settings.DATABASE_URL ?? '');
  url.pathname = `/${name}`;
  await expect(connected(url, async () => undefined)).rejects.toThrow(/permission denied for database/);
  url.username = 'temporal';
  await connected(url, (client) => client.query('create table nothing ()'));
});
