/**
 * A restored PostgreSQL lacks references to newer objects, so sweeps pause until an operator resumes them. A restart or
 * a crash does not pause them.
 */
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { markBucket } from '../../db/bucket-ownership.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';
import { send, type TestUser, upload } from '../support/client.ts';
import { type OwnServer, type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/** Test timeout for a loaded machine; the service promises no time here. */
const TEST_TIMEOUT_MS = 180_000;

let service: PrivateService;
let storage: Storage;
let postgres: OwnServer;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({ own: ['postgres'], settings: { SWEEP_SECONDS: '0.5' } });
  storage = createStorage(storageOptions(parseConfig(service.settings)));
  postgres = service.server('postgres');
  user = await service.newUser();
  await service.startWorker();
});
afterAll(async () => {
  storage?.close();
  await service?.stop();
});

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;
const awaitPostgres = () => until('PostgreSQL responds', async () => query('select 1'));
const readSweepsHeld = async () => {
  const metrics = await (await fetch(`${service.apiUrl}/metrics`)).text();
  return /^sweeps_held (\d)$/m.exec(metrics)?.[1];
};
const awaitSweepsHeld = (value: '0' | '1') =>
  until(`sweeps_held is ${value}`, async () => (await readSweepsHeld()) === value);

/** Waits for three rounds of the sweeper and of the reconciler; each renews its lease. */
async function nextRounds(): Promise<void> {
  for (const name of ['sweeper', 'reconciler']) {
    const lease = async () => (await query('select until from leases where name = $1', [name]))[0]?.until;
    for (let round = 1; round <= 3; round += 1) {
      const before = await lease();
      await until(`round ${round} of the ${name}`, async () => String(await lease()) !== String(before));
    }
  }
}

/** Makes one item of each kind that a sweep or purge removes. `age` makes them due, `left` counts those that remain. */
async function garbage() {
  const source = await user.content('Deleted long ago.');
  await user.reach(source.id, 'COMPLETED');
  const fileKey = await upload(user, 'unclaimed.txt', 'text/plain', new TextEncoder().encode('Unclaimed.'));
  const key = `response-${source.id}`;
  await user.call('POST', '/v1/spaces', { name: 'Space' }, { 'idempotency-key': key });
  const age = async () => {
    await query("update sources set deleted_at = now() - interval '31 days' where id = $1", [source.id]);
    await query("update uploads set created_at = now() - interval '25 hours' where file_key = $1", [fileKey]);
    await query("update idempotency_keys set created_at = now() - interval '25 hours' where key = $1", [key]);
  };
  const left = async () => ({
    source: (await query('select id from sources where id = $1 and purging_at is null', [source.id])).length,
    upload: (await storage.head(fileKey)) === null ? 0 : 1,
    response: (await query('select key from idempotency_keys where key = $1', [key])).length,
  });
  const gone = () =>
    until('all items are removed', async () => Object.values(await left()).every((count) => count === 0), 40_000);
  return { age, left, gone };
}
const all = { source: 1, upload: 1, response: 1 };

async function resume(): Promise<void> {
  const main = fileURLToPath(new URL('../../apps/admin/main.ts', import.meta.url));
  const env = { PATH: process.env.PATH ?? '', ...service.settings };
  const { stdout } = await run(process.execPath, [main, 'sweeps', 'resume', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ resumed: true });
}

async function expectHeldUntilAccepted({ age, left, gone }: Awaited<ReturnType<typeof garbage>>): Promise<void> {
  await awaitPostgres();
  await awaitSweepsHeld('1');
  await age();
  await nextRounds();
  expect(await left()).toEqual(all);
  expect(await send(`${service.apiUrl}/health`, 'GET')).toMatchObject({ status: 200, body: { status: 'ok' } });
  // Runs continue meanwhile.
  await user.reach((await user.content('Written while sweeps wait.')).id, 'COMPLETED');
  await resume();
  await gone();
  await awaitSweepsHeld('0');
}

test(
  'after a restart or a crash, sweeps and purges continue',
  async () => {
    const items = await garbage();
    await awaitSweepsHeld('0');
    await postgres.stop();
    await postgres.start();
    await awaitPostgres();
    await awaitSweepsHeld('0');
    await postgres.kill();
    await postgres.start();
    await awaitPostgres();
    await items.age();
    await items.gone();
    await awaitSweepsHeld('0');
  },
  TEST_TIMEOUT_MS,
);

test(
  'after older data files are restored, sweeps wait for "sweeps resume"',
  async () => {
    const items = await garbage();
    await postgres.stop();
    const copy = await postgres.copyData();
    await postgres.start();
    await awaitPostgres();
    const newer = await user.content('The copy knows nothing of this.');
    await user.reach(newer.id, 'COMPLETED');
    // The service does this once a minute.
    await markBucket({ database: service.database, storage });
    await postgres.stop();
    await postgres.replaceData(copy);
    await postgres.start();
    await expectHeldUntilAccepted(items);
  },
  TEST_TIMEOUT_MS,
);

test(
  'after a standby is promoted or a point-in-time recovery, sweeps wait for "sweeps resume"',
  async () => {
    const items = await garbage();
    await postgres.stop();
    const copy = await postgres.copyData();
    await copyFile(join(copy, 'PG_VERSION'), join(copy, 'standby.signal'));
    await run('chown', ['--reference', join(copy, 'PG_VERSION'), join(copy, 'standby.signal')]);
    await postgres.replaceData(copy);
    await postgres.start();
    await awaitPostgres();
    expect(await query('select pg_promote()')).toEqual([{ pg_promote: true }]);
    await expectHeldUntilAccepted(items);
  },
  TEST_TIMEOUT_MS,
);
