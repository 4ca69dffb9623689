/** Sweeps remove unclaimed uploads, old generations and unreferenced objects, and nothing else. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { removeUnclaimedUploads } from '../../db/transitions/retention/sweep.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';
import { received, script, send, sitePath, type TestUser, upload } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
let storage: Storage;
let user: TestUser;
beforeAll(async () => {
  // A private bucket: the collector would remove objects of other services as unreferenced.
  const bucket = `sweeps-${randomUUID().slice(0, 8)}`;
  service = await startPrivateService({ settings: { S3_BUCKET: bucket, SWEEP_SECONDS: '0.5' } });
  storage = createStorage(storageOptions(parseConfig(service.settings)));
  user = await service.newUser();
  await service.startWorker();
});
afterAll(async () => {
  storage?.close();
  await service?.stop();
});

const query = async (text: string, values: unknown[]) => (await service.database.pool.query(text, values)).rows;
async function keysBelow(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys;
}
const bytes = (text: string) => new TextEncoder().encode(text);
const admin = fileURLToPath(new URL('../../apps/admin/main.ts', import.meta.url));
function collect(...options: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const args = [admin, 'objects', 'collect', ...options];
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', ...service.settings };
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

test('an upload unclaimed for 25 h is removed, row and object; a claimed one stays', async () => {
  const [unclaimed, claimed] = await Promise.all(
    ['unclaimed', 'claimed'].map((text) => upload(user, `${text}.txt`, 'text/plain', bytes(text))),
  );
  const fresh = await upload(user, 'fresh.txt', 'text/plain', bytes('fresh'));
  const source = await user.create({ type: 'FILE', initial_data: { data: claimed } });
  await query("update uploads set created_at = now() - interval '25 hours' where file_key = any($1)", [
    [unclaimed, claimed],
  ]);
  await until('it is gone', async () => (await storage.head(unclaimed ?? '')) === null);
  expect(await query('select id from uploads where file_key = $1', [unclaimed])).toEqual([]);
  expect((await send(`${service.apiUrl}/files/${unclaimed}`, 'GET')).status).toBe(404);
  for (const key of [claimed ?? '', fresh]) expect(await storage.head(key)).not.toBeNull();
  await user.reach(source.id, 'COMPLETED');
});

test('a claimed upload that no source has used for 25 h is removed, row and object; a used one stays', async () => {
  const keys = await Promise.all(
    ['unused', 'used'].map((text) => upload(user, `${text}.txt`, 'text/plain', bytes(`The text is ${text}.`))),
  );
  const [unused = '', used = ''] = keys;
  const [lost, kept] = await Promise.all(keys.map((data) => user.create({ type: 'FILE', initial_data: { data } })));
  for (const source of [lost, kept]) await user.reach(source?.id ?? '', 'COMPLETED');
  // As after a purge whose run was lost: the source's row is removed, and its upload still claimed.
  await query('delete from sources where id = $1', [lost?.id]);
  const old = "now() - interval '25 hours'";
  await query(`update uploads set created_at = ${old} where file_key = any($1)`, [keys]);
  const marker = await upload(user, 'marker.txt', 'text/plain', bytes('marker'));
  await query(`update uploads set created_at = ${old} where file_key = $1`, [marker]);
  await until('a sweep has run', async () => (await storage.head(marker)) === null);
  expect(await query('select claimed_at is not null as claimed from uploads where file_key = $1', [unused])).toEqual([
    { claimed: true },
  ]);

  await query(`update uploads set claimed_at = ${old} where file_key = any($1)`, [keys]);
  await until('it is gone', async () => (await storage.head(unused)) === null);
  expect(await query('select file_key from uploads where file_key = any($1)', [keys])).toEqual([{ file_key: used }]);
  expect(await storage.head(used)).not.toBeNull();
  await user.call('POST', `/v1/sources/${kept?.id}/refresh`, {});
  await until('it is refreshed', async () => (await user.get(kept?.id ?? '')).resultGeneration === 2);
});

test('concurrent with a sweep a create either has its file or is 400 on initial_data.data', async () => {
  const keys = await Promise.all(
    Array.from({ length: 12 }, (_, n) => upload(user, `${n}.txt`, 'text/plain', bytes(`Text number ${n}.`))),
  );
  const [responses, swept] = await Promise.all([
    Promise.all(
      keys.map((data) =>
        user.call('POST', `/v1/spaces/${user.spaceId}/sources`, {
          type: 'FILE',
          initial_data: { data },
          instructions: {},
        }),
      ),
    ),
    (async () => {
      const all: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        const some = await removeUnclaimedUploads(service.database.pool, 0, 1);
        await storage.deleteKeys(some);
        all.push(...some);
      }
      return all;
    })(),
  ]);
  for (const [n, { status, body }] of responses.entries()) {
    if (swept.includes(keys[n] ?? '')) {
      expect({ status, field: body.details[0].field }).toEqual({ status: 400, field: 'initial_data.data' });
    } else {
      expect(status).toBe(201);
      await user.reach(body.data.id, 'COMPLETED');
      expect(await user.markdown(body.data.id)).toContain(`Text number ${n}.`);
    }
  }
});

test('stored responses are removed after 24 h and counted in swept_total', async () => {
  for (const key of ['old', 'young']) await user.call('POST', '/v1/spaces', { name: key }, { 'idempotency-key': key });
  await query("update idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'", []);
  const kept = async () => (await query('select key from idempotency_keys order by key', [])).map(({ key }) => key);
  await until('the old one is gone', async () => !(await kept()).includes('old'));
  expect(await kept()).toContain('young');
  await until('it is counted', async () =>
    /^swept_total\{kind="idempotency_keys"\} [1-9]/m.test(await (await fetch(`${service.apiUrl}/metrics`)).text()),
  );
});

test('the last 100 generations stay, and older ones with the result, used content or a pending postback', async () => {
  const { id } = await user.content('Shown.');
  await user.reach(id, 'COMPLETED');
  await query(
    `insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction,
       run_artifact_extraction, outcome, finished_at, content_key, content_generation)
     select uuidv7(), $1, n, 'reprocess', false, true, true, 'CANCELED', now(),
       case when n = 150 then 'x' end, case when n = 150 then 20 end
     from generate_series(2, 150) n`,
    [id],
  );
  await query(
    `insert into postbacks (id, source_id, generation_id, url, body, state, next_attempt_at, checked_at)
     select gen_random_uuid(), source_id, id, 'https://nowhere.invalid/', '{}',
       case when generation = 10 then 'pending' else 'delivered' end,
       case when generation = 10 then now() + interval '1 hour' end, now() + interval '1 day'
     from source_generations where source_id = $1 and generation in (10, 11)`,
    [id],
  );
  await query('update sources set generation = 150 where id = $1', [id]);
  const last = Array.from({ length: 100 }, (_, n) => 51 + n);
  const left = async () =>
    (await query('select generation from source_generations where source_id = $1 order by 1', [id])).map(
      (row) => row.generation,
    );
  await until('the others are gone', async () => (await left()).length === 103);
  expect(await left()).toEqual([1, 10, 20, ...last]);
  expect(await query('select state from postbacks where source_id = $1', [id])).toEqual([{ state: 'pending' }]);
  expect(await user.markdown(id)).toContain('Shown.');
});

test('objects of replaced results are removed after an hour; those of the current result stay', async () => {
  const page = sitePath('page');
  const url = await script(page, [{ body: '<p>First.</p>' }, { body: '<p>Second.</p>' }, { status: 404 }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data: url } });
  await user.reach(id, 'COMPLETED');
  const first = await keysBelow(`sources/${id}/`);
  await user.call('POST', `/v1/sources/${id}/refresh`, {});
  await until('it is refreshed', async () => (await user.get(id)).resultGeneration === 2);
  const second = (await keysBelow(`sources/${id}/`)).filter((key) => !first.includes(key));
  await user.call('POST', `/v1/sources/${id}/refresh`, {});
  await user.reach(id, 'FAILED');
  expect([first.length, second.length]).toEqual([3, 3]);

  const ago = (interval: string) =>
    query(
      `update source_generations set created_at = now() - $2::interval, finished_at = now() - $2::interval
       where source_id = $1`,
      [id, interval],
    );
  await ago('59 minutes');
  // Uploads are swept first and objects last: once the second upload is removed, a whole sweep has run.
  for (const name of ['one.txt', 'two.txt']) {
    const marker = await upload(user, name, 'text/plain', bytes(name));
    await query("update uploads set created_at = now() - interval '25 hours' where file_key = $1", [marker]);
    await until(`${name} is swept`, async () => (await storage.head(marker)) === null);
  }
  expect(await keysBelow(`sources/${id}/`)).toEqual([...first, ...second].sort());

  await ago('61 minutes');
  await until('the first ones are gone', async () => (await keysBelow(`sources/${id}/`)).length === 3);
  expect(await keysBelow(`sources/${id}/`)).toEqual(second.sort());
  expect(await user.markdown(id)).toContain('Second.');
  await user.call('POST', `/v1/sources/${id}/reprocess`, {});
  await until('it is reprocessed', async () => (await user.get(id)).resultGeneration === 4);
  expect(await user.markdown(id)).toContain('Second.');
});

describe('npm run admin -- objects collect', () => {
  test('removes unreferenced objects with --grace 0, but none of a running generation or of unknown form', async () => {
    const page = sitePath('hanging');
    const url = await script(page, [{ hang: true }]);
    const running = await user.create({ type: 'URI', initial_data: { data: url } });
    await until('it runs', async () => (await received(page)).length === 1);
    const [{ id: generationId }] = await query('select id from source_generations where source_id = $1', [running.id]);
    const kept = [
      `sources/${running.id}/${generationId}/${randomUUID()}/content`,
      'sources/strange',
      await upload(user, 'granted.txt', 'text/plain', bytes('granted')),
    ];
    const removed = [
      `sources/${running.id}/${randomUUID()}/${randomUUID()}/content`,
      `sources/${randomUUID()}/${randomUUID()}/${randomUUID()}/content`,
      `uploads/${'0'.repeat(32)}/unreferenced.txt`,
    ];
    for (const key of [...kept.slice(0, 2), ...removed]) await storage.put(key, 'x', 'text/plain');
    const wrong = await collect('--grace', 'soon');
    expect({ code: wrong.code, stderr: wrong.stderr }).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('--grace'),
    });
    const { code, stdout } = await collect('--grace', '0', '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, stopped: false });
    for (const key of kept) expect({ key, there: (await storage.head(key)) !== null }).toEqual({ key, there: true });
    for (const key of removed)
      expect({ key, there: (await storage.head(key)) !== null }).toEqual({ key, there: false });
    await user.call('POST', `/v1/sources/${running.id}/cancel`);
  });

  test('removes nothing if it would be more than a tenth of all objects, unless with --force', async () => {
    const prefix = `sources/${randomUUID()}/`;
    await Promise.all(
      Array.from({ length: 120 }, () =>
        storage.put(`${prefix}${randomUUID()}/${randomUUID()}/content`, 'x', 'text/plain'),
      ),
    );
    const stopped = await collect('--grace', '0');
    expect({ code: stopped.code, stderr: stopped.stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('none was removed'),
    });
    expect(await keysBelow(prefix)).toHaveLength(120);
    expect((await collect('--grace', '0', '--force')).code).toBe(0);
    expect(await keysBelow(prefix)).toEqual([]);
  });
});
