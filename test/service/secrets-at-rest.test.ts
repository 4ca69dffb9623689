/** Postback secrets are encrypted in the database; the API shows them, and they sign postbacks. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { migrate } from '../../db/migrate.ts';
import { received, script, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const admin = fileURLToPath(new URL('../../apps/admin/main.ts', import.meta.url));
const newKey = () => randomBytes(32).toString('base64');
const first = newKey();

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { SECRETS_KEY: first, API_RUNS_DISPATCHER: 'false' } });
});
afterAll(() => service?.stop());

const stored = async (userId: string) =>
  (
    await service.database.pool.query(
      'select postback_secret as secret, previous_postback_secret as previous from users where id = $1',
      [userId],
    )
  ).rows[0];
const form = expect.stringMatching(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{70,}$/);

test('the database stores the current and previous secret encrypted, and rejects plaintext', async () => {
  const user = await service.newUser();
  expect(await stored(user.userId)).toEqual({ secret: null, previous: null });
  const shown = await Promise.all(
    Array.from({ length: 5 }, async () => (await user.call('GET', '/v1/postback-secret')).body.data),
  );
  const [{ secret }] = shown;
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  // Five concurrent first reads create one secret.
  for (const one of shown) expect(one).toEqual({ secret, previousSecret: null, previousExpiresAt: null });
  const rotated = (await user.call('POST', '/v1/postback-secret/rotate')).body.data;
  expect(rotated).toMatchObject({ previousSecret: secret, previousExpiresAt: expect.any(String) });
  const row = await stored(user.userId);
  expect(row).toEqual({ secret: form, previous: form });
  for (const column of ['postback_secret', 'previous_postback_secret']) {
    await expect(
      service.database.pool.query(`update users set ${column} = $2 where id = $1`, [user.userId, secret]),
    ).rejects.toThrow(`users_${column}_check`);
  }
});

test('a rotation before the first read creates two secrets, and both sign', async () => {
  const user = await service.newUser();
  const { secret, previousSecret } = (await user.call('POST', '/v1/postback-secret/rotate')).body.data;
  const path = sitePath('sample');
  await user.call('POST', '/v1/postbacks/test', { url: await script(path, [{ status: 204 }]) });
  const [{ body, headers } = { body: '', headers: {} }] = await received(path);
  for (const one of [secret, previousSecret]) expect(() => new Webhook(one).verify(body, headers)).not.toThrow();
});

test('a missing key is named in the log and not in the 500 response; SECRETS_KEY_PREVIOUS decrypts', async () => {
  const user = await service.newUser();
  const { secret } = (await user.call('GET', '/v1/postback-secret')).body.data;
  const replica = await service.startReplica({ SECRETS_KEY: newKey() });
  const headers = { authorization: `Bearer ${user.key}` };
  const response = await fetch(`${replica.url}/v1/postback-secret`, { headers });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toMatch(/SECRETS_KEY|whsec_/);
  const logs = join(service.dataFolder, 'logs');
  await until('the log names the setting', async () => {
    const texts = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')));
    return texts.some((text) => /SecretsKeyError.*neither SECRETS_KEY nor in SECRETS_KEY_PREVIOUS/.test(text));
  });
  await replica.stop();

  // Rotation: the new key encrypts, the old one decrypts until `secrets encrypt` has run.
  const settings = { SECRETS_KEY: newKey(), SECRETS_KEY_PREVIOUS: first };
  const next = await service.startReplica(settings);
  const shown = async () =>
    (await fetch(`${next.url}/v1/postback-secret`, { headers: { authorization: `Bearer ${user.key}` } })).json();
  expect(await shown()).toMatchObject({ data: { secret } });
  const before = await stored(user.userId);
  const env = { PATH: process.env.PATH ?? '', ...service.settings, ...settings };
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(process.execPath, [admin, 'secrets', 'encrypt', '--json'], { env }, (error, out) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout: out }),
    );
  });
  expect({ code, users: JSON.parse(stdout).users > 0 }).toEqual({ code: 0, users: true });
  const after = await stored(user.userId);
  expect(after.secret.slice(0, 12)).not.toBe(before.secret.slice(0, 12));
  expect(await shown()).toMatchObject({ data: { secret } });
  const last = await service.startReplica({ SECRETS_KEY: settings.SECRETS_KEY });
  const again = await fetch(`${last.url}/v1/postback-secret`, { headers: { authorization: `Bearer ${user.key}` } });
  expect(await again.json()).toMatchObject({ data: { secret } });
});

test('migrations encrypt the secrets of an older schema, and fail without SECRETS_KEY', async () => {
  const url = new URL(stack().settings.DATABASE_URL ?? '');
  const name = `plain_${randomUUID().slice(0, 8)}`;
  const server = new Client({ connectionString: url.href });
  await server.connect();
  await server.query(`create database ${name}`);
  await server.end();
  url.pathname = `/${name}`;
  await migrate(url.href);
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    const secret = `whsec_${newKey()}`;
    for (const column of ['postback_secret', 'previous_postback_secret']) {
      await client.query(`alter table users drop constraint users_${column}_check`);
      await client.query(
        `alter table users add constraint users_${column}_check check (${column} like 'v1.%') not valid`,
      );
    }
    // As inserted before the constraint existed.
    await client.query('alter table users drop constraint users_postback_secret_check');
    await client.query(
      "insert into users (id, email, name, postback_secret) values (gen_random_uuid(), 'a@example.com', 'A', $1)",
      [secret],
    );
    await client.query(
      "alter table users add constraint users_postback_secret_check check (postback_secret like 'v1.%') not valid",
    );
    await expect(migrate(url.href)).rejects.toThrow('Set SECRETS_KEY');
    await migrate(url.href, { SECRETS_KEY: randomBytes(32), SECRETS_KEY_PREVIOUS: [] });
    expect((await client.query('select postback_secret as secret from users')).rows).toEqual([{ secret: form }]);
    const { rows } = await client.query(
      "select convalidated from pg_constraint where conname like 'users_%postback_secret_check'",
    );
    expect(rows).toEqual([{ convalidated: true }, { convalidated: true }]);
    await migrate(url.href);
  } finally {
    await client.end();
  }
});
