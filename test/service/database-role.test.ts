/** docker-compose.yml gives the service a role of its own: with no more rights than that it does all it has to. */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

const PASSWORD = 'of-the-role';
let service: PrivateService;

/** The roles, as psql would read them, in a cluster of the test's own. */
async function makeRoles(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const client = new Client({ connectionString: url.href });
  await client.connect();
  const text = readFileSync(new URL('../../deploy/postgres/roles.sql', import.meta.url), 'utf8')
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/:'\w+'/g, `'${PASSWORD}'`)
    .replaceAll('database context_workspace', `database "${url.pathname.slice(1)}"`);
  for (const statement of text.split(';')) if (statement.trim() !== '') await client.query(statement);
  await client.end();
  url.username = 'context_workspace';
  url.password = PASSWORD;
  return url.href;
}

beforeAll(async () => {
  service = await startPrivateService({
    own: ['postgres'],
    beforeMigrations: makeRoles,
  });
  await service.startWorker();
}, 90_000);
afterAll(() => service?.stop());

test('the service migrates its database, runs, deletes and collects with that role', async () => {
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

test.each(['temporal', 'temporal_visibility'])('that role cannot open %s', async (name) => {
  const url = new URL(service.settings.DATABASE_URL ?? '');
  url.pathname = `/${name}`;
  const client = new Client({ connectionString: url.href });
  await expect(client.connect()).rejects.toThrow(/permission denied for database/);
  url.username = 'temporal';
  const own = new Client({ connectionString: url.href });
  await own.connect();
  await own.query('create table nothing ()');
  await own.end();
});
