import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../db/migrate.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { readUsage } from '../../db/queries/users/usage.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { stack } from '../support/stack.ts';
import { findUsageDifferences } from '../support/usage.ts';

let database: Database;
beforeAll(async () => {
  const url = new URL(stack().settings.DATABASE_URL ?? '');
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  url.pathname = `/usage_${randomUUID().slice(0, 8)}`;
  await admin.query(`create database ${url.pathname.slice(1)}`);
  await admin.end();
  await migrate(url.href);
  database = await openDatabase(url.href, 20);
}, 60_000);
afterAll(() => database?.close());

async function newOwner() {
  const email = `${randomUUID()}@example.com`;
  const { userId } = await createUser(database.pool, { email, name: 'Owner', plan: 'pro' });
  const newSpace = async () => {
    const { rows } = await database.pool.query(
      "insert into spaces (id, owner_id, name) values (gen_random_uuid(), $1, 'Space') returning id",
      [userId],
    );
    return rows[0].id;
  };
  return { userId, spaces: [await newSpace(), await newSpace()] };
}

const insertSource = (userId: string, spaceId: string, text: string) =>
  database.pool.query(
    `with source as (
       insert into sources (id, owner_id, space_id, type, name, name_derived, status, generation, initial_data, instructions, metadata)
       values (gen_random_uuid(), $1, $2, 'CONTENT', 'Source', false, 'CREATED', 1, jsonb_build_object('data', $3::text), '{}', '{}')
       returning id)
     insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction, run_artifact_extraction)
     select gen_random_uuid(), id, 1, 'create', false, true, true from source`,
    [userId, spaceId, text],
  );
const insertUpload = (userId: string, bytes: number) =>
  database.pool.query(
    `insert into uploads (id, owner_id, file_key, filename, content_type, size_bytes)
     values (gen_random_uuid(), $1, 'uploads/' || gen_random_uuid() || '/a.txt', 'a.txt', 'text/plain', $2)`,
    [userId, bytes],
  );
/** Concurrently runs one statement per source of the space. */
async function changeEach(spaceId: string, change: string): Promise<void> {
  const { rows } = await database.pool.query('select id from sources where space_id = $1', [spaceId]);
  await Promise.all(rows.map(({ id }) => database.pool.query(`update sources set ${change} where id = $1`, [id])));
}

test('the counters of usage equal the sums of the rows after concurrent changes', async () => {
  const { userId, spaces } = await newOwner();
  const [first, second] = spaces;
  const used = () => readUsage(database.pool, userId);
  await Promise.all([
    ...Array.from({ length: 40 }, (_, n) => insertSource(userId, spaces[n % 2], 'a'.repeat(n))),
    ...Array.from({ length: 10 }, (_, n) => insertUpload(userId, n + 1)),
  ]);
  expect(await findUsageDifferences(database.pool)).toEqual([]);
  expect(await used()).toEqual({ sources: 40, storedBytes: 780 + 55 });

  await Promise.all([
    changeEach(first, 'content_size = 1000'),
    changeEach(second, 'result_size = 3, deleted_at = now()'),
    database.pool.query('update uploads set size_bytes = size_bytes + 1 where owner_id = $1', [userId]),
  ]);
  expect(await findUsageDifferences(database.pool)).toEqual([]);
  expect(await used()).toEqual({ sources: 20, storedBytes: 780 + 55 + 20 * 1_000 + 20 * 3 + 10 });

  await changeEach(second, 'deleted_at = null');
  await database.pool.query('update spaces set deleted_at = now(), deletion_id = gen_random_uuid() where id = $1', [
    first,
  ]);
  expect(await used()).toMatchObject({ sources: 20 });
  await database.pool.query('delete from sources where space_id = $1 and text_size > 20', [first]);
  await database.pool.query('delete from uploads where owner_id = $1 and size_bytes > 5', [userId]);
  expect(await findUsageDifferences(database.pool)).toEqual([]);

  await database.pool.query('delete from spaces where id = $1', [first]);
  expect(await findUsageDifferences(database.pool)).toEqual([]);
  expect(await used()).toMatchObject({ sources: 20 });
  await database.pool.query('delete from users where id = $1', [userId]);
  expect(await findUsageDifferences(database.pool)).toEqual([]);
});

test("concurrent changes of one owner's usage do not wait for each other", async () => {
  const { userId, spaces } = await newOwner();
  await insertSource(userId, spaces[0], 'a');
  const blocking = await database.pool.connect();
  await blocking.query('begin');
  await blocking.query('update sources set result_size = 5 where owner_id = $1', [userId]);
  await insertSource(userId, spaces[0], 'ab');
  await blocking.query('commit');
  blocking.release();
  expect(await findUsageDifferences(database.pool)).toEqual([]);
});

test('the migration to counters counts existing rows', async () => {
  const { userId, spaces } = await newOwner();
  const { migrator } = database.orm;
  await migrator.down({ migrations: ['Migration20261122223000_narrow_updates'] });
  await insertSource(userId, spaces[0], 'abc');
  await insertUpload(userId, 4);
  expect(await readUsage(database.pool, userId)).toEqual({ sources: 1, storedBytes: 7 });
  await migrator.up();
  expect(await findUsageDifferences(database.pool)).toEqual([]);
  expect(await readUsage(database.pool, userId)).toEqual({ sources: 1, storedBytes: 7 });
});
