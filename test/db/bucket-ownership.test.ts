/** Bucket ownership: another database, or an older state of the own one, removes no object. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openMigrated } from '../../apps/dev/service.ts';
import {
  compareMarker,
  GarbageCollectionPausedError,
  markBucket,
  renewMarker,
  withBucketOwnership,
} from '../../db/bucket-ownership.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';
import { stack } from '../support/stack.ts';

const { settings } = stack();
let database: Database;
let storage: Storage;
beforeEach(async () => {
  database = await openDatabase(settings.DATABASE_URL ?? '', 2);
  storage = createStorage(storageOptions(parseConfig({ ...settings, S3_BUCKET: `belonging-${randomUUID()}` })));
  await storage.ensureBucket();
});
afterEach(async () => {
  storage.close();
  await database.close();
});

const works = (of = database) => withBucketOwnership({ database: of, storage }, async () => 'done');
/** Changes fields of the ownership marker in the bucket. */
async function edit(changed: Partial<Awaited<ReturnType<typeof markBucket>>>) {
  const mark = await markBucket({ database, storage });
  await storage.put('database.json', JSON.stringify({ ...mark, ...changed }), 'application/json');
  return mark;
}

test('the first database marks the bucket, and garbage collection works for it from then on', async () => {
  await expect(works()).rejects.toThrow(GarbageCollectionPausedError);
  await renewMarker({ database, storage });
  expect(await works()).toBe('done');
  expect((await compareMarker({ database, storage })).mark?.identity).toMatch(
    /^system \d+, timeline 1, database \d+, tables \d+$/,
  );
});

test.each(['system', 'timeline', 'database', 'tables'])('another %s in the marker is a pause', async (part) => {
  const { identity } = await markBucket({ database, storage });
  await edit({ identity: identity.replace(new RegExp(`${part} \\w+`), `${part} 99`) });
  await expect(works()).rejects.toThrow(/The bucket belongs to the database .* 99.*"npm run admin -- sweeps resume"/);
  await expect(renewMarker({ database, storage })).rejects.toThrow(GarbageCollectionPausedError);
});

test('a database that lacks the bucket’s marker counts as older and pauses garbage collection', async () => {
  const { id } = await markBucket({ database, storage });
  expect(await works()).toBe('done');
  // As in a backup from before the marker.
  await database.pool.query('delete from bucket_marks where id = $1', [id]);
  await expect(works()).rejects.toThrow(/older than it was at 20.*"npm run admin -- sweeps resume"/);
});

test('an older marker of the same database, written late, does not pause garbage collection', async () => {
  const late = await markBucket({ database, storage });
  for (let n = 0; n < 3; n += 1) await markBucket({ database, storage });
  await storage.put('database.json', JSON.stringify(late), 'application/json');
  expect(await works()).toBe('done');
});

test('markBucket accepts the database, whatever the marker of the bucket was', async () => {
  await edit({ identity: 'another', id: randomUUID() });
  await markBucket({ database, storage });
  expect(await works()).toBe('done');
});

test('the marker is renewed once a minute', async () => {
  const fresh = await markBucket({ database, storage });
  await renewMarker({ database, storage });
  expect((await compareMarker({ database, storage })).mark).toEqual(fresh);
  const markedAt = new Date(Date.now() - 61_000).toISOString();
  const { id } = await edit({ markedAt });
  await renewMarker({ database, storage });
  expect((await compareMarker({ database, storage })).mark?.id).not.toBe(id);
  expect(await works()).toBe('done');
});

test('another database of the same server is not the bucket’s database', async () => {
  await renewMarker({ database, storage });
  const url = new URL(settings.DATABASE_URL ?? '');
  const name = `beside_${randomUUID().slice(0, 8)}`;
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database "${name}"`);
  await admin.end();
  url.pathname = `/${name}`;
  const other = await openMigrated(url.href);
  await expect(works(other)).rejects.toThrow(GarbageCollectionPausedError);
  await other.close();
});

test('a role with select on sources and bucket_marks can read the identity of the database', async () => {
  const role = `plain_${randomUUID().slice(0, 8)}`;
  await database.pool.query(
    `create role ${role} login password 'plain'; grant select on sources, bucket_marks to ${role}`,
  );
  const url = new URL(settings.DATABASE_URL ?? '');
  url.username = role;
  url.password = 'plain';
  const plain = await openDatabase(url.href, 1);
  await renewMarker({ database, storage });
  expect(await works(plain)).toBe('done');
  await plain.close();
  await database.pool.query(`drop owned by ${role}; drop role ${role}`);
});
