/** A claim concurrent with the sweep of unclaimed uploads: either the source has its file, or neither exists. */
import { type Database, openDatabase } from '../../db/orm.ts';
import { transaction } from '../../db/sql.ts';
import { removeUnclaimedUploads } from '../../db/transitions/retention/sweep.ts';
import { claimUpload } from '../../db/transitions/uploads/claim-upload.ts';
import { newUser, type TestUser, upload } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** In seconds; no other test has uploads of that age. */
const YEARS = 10 * 365 * 24 * 3600;

let user: TestUser;
let database: Database;
beforeAll(async () => {
  user = await newUser();
  database = await openDatabase(stack().settings.DATABASE_URL ?? '', 3);
});
afterAll(() => database?.close());

async function oldUpload(): Promise<string> {
  const fileKey = await upload(user, 'a.txt', 'text/plain', new TextEncoder().encode('Old.'));
  await database.pool.query("update uploads set created_at = now() - interval '20 years' where file_key = $1", [
    fileKey,
  ]);
  return fileKey;
}
const kept = async (fileKey: string) =>
  (await database.pool.query('select claimed_at from uploads where file_key = $1', [fileKey])).rows;

test('a sweep skips an upload during and after its claim', async () => {
  const fileKey = await oldUpload();
  await transaction(database, async (session) => {
    expect(await claimUpload(session, user.userId, fileKey)).toMatchObject({ filename: 'a.txt' });
    expect(await removeUnclaimedUploads(database.pool, YEARS, 100)).not.toContain(fileKey);
  });
  expect(await removeUnclaimedUploads(database.pool, YEARS, 100)).not.toContain(fileKey);
  expect(await kept(fileKey)).toEqual([{ claimed_at: expect.any(String) }]);
});

test('a create that waited for a sweep of its upload is 400 on initial_data.data', async () => {
  const fileKey = await oldUpload();
  let created: ReturnType<TestUser['call']> | undefined;
  await transaction(database, async (session) => {
    expect(await removeUnclaimedUploads(session, YEARS, 100)).toContain(fileKey);
    created = user.call('POST', `/v1/spaces/${user.spaceId}/sources`, {
      type: 'FILE',
      initial_data: { data: fileKey },
      instructions: {},
    });
    await until('the create waits for the lock', async () => {
      const { rows } = await database.pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update uploads set claimed_at%'",
      );
      return rows.length > 0;
    });
  });
  const response = await created;
  expect([response?.status, response?.body.details[0].field]).toEqual([400, 'initial_data.data']);
  expect(await kept(fileKey)).toEqual([]);
});

test('a claim by another owner returns null and changes nothing', async () => {
  const fileKey = await upload(user, 'a.txt', 'text/plain', new TextEncoder().encode('Mine.'));
  const stranger = await newUser();
  expect(await claimUpload(database.pool, stranger.userId, fileKey)).toBeNull();
  expect(await kept(fileKey)).toEqual([{ claimed_at: null }]);
});
