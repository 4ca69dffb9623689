import { z } from 'zod';
import { apiKeySchema, createdApiKeySchema, postbackSecretSchema } from '../../contract/resources.ts';
import { openDatabase } from '../../db/orm.ts';
import { touchKey } from '../../db/queries/users/find-key.ts';
import { isWellFormedKey } from '../../platform/api-key.ts';
import { newUser, send } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const created = z.strictObject({ data: createdApiKeySchema.extend({ key: z.string() }).strict() });
const page = z.strictObject({ data: z.array(apiKeySchema.strict()), nextCursor: z.string().nullable() });

test('the raw key is in the response to its creation and in no later response', async () => {
  const user = await newUser();
  const response = await user.call('POST', '/v1/api-keys', { name: ' CI ' });
  expect(response.status).toBe(201);
  const { key, ...rest } = created.parse(response.body).data;
  expect(key).toMatch(/^cws_[\w-]{49}$/);
  expect(rest).toMatchObject({ name: 'CI', prefix: key.slice(0, 8), last4: key.slice(-4), scopes: ['read', 'write'] });
  expect(rest).toMatchObject({ expiresAt: null, lastUsedAt: null });
  const list = await user.call('GET', '/v1/api-keys');
  expect(page.parse(list.body).data[0]).toEqual(rest);
  expect(JSON.stringify(list.body)).not.toContain(key.slice(8, -4));
});

test('a new key works immediately and shows its last use; a deleted key is 401 immediately', async () => {
  const user = await newUser();
  const { id, key } = created.parse((await user.call('POST', '/v1/api-keys', { name: 'K' })).body).data;
  const use = async () => (await send(`${user.apiUrl}/v1/spaces`, 'GET', { key })).status;
  expect(await use()).toBe(200);
  await until('the key was used', async () => {
    const { data } = page.parse((await user.call('GET', '/v1/api-keys')).body);
    return data.find((listed) => listed.id === id)?.lastUsedAt;
  });
  const deleted = await user.call('DELETE', `/v1/api-keys/${id}`);
  expect({ status: deleted.status, body: deleted.body }).toEqual({ status: 204, body: '' });
  expect(await use()).toBe(401);
  expect((await user.call('DELETE', `/v1/api-keys/${id}`)).status).toBe(404);
});

test('a key may delete itself', async () => {
  const user = await newUser();
  const { id, key } = created.parse((await user.call('POST', '/v1/api-keys', { name: 'K' })).body).data;
  expect((await send(`${user.apiUrl}/v1/api-keys/${id}`, 'DELETE', { key })).status).toBe(204);
  expect((await send(`${user.apiUrl}/v1/api-keys/${id}`, 'DELETE', { key })).status).toBe(401);
});

test('a key with scope read can read; writes and the postback secret are 403', async () => {
  const user = await newUser();
  const response = await user.call('POST', '/v1/api-keys', { name: 'R', scopes: ['read', 'read'] });
  const { key, scopes } = created.parse(response.body).data;
  expect(scopes).toEqual(['read']);
  const status = async (method: string, path: string, body?: unknown) =>
    (await send(`${user.apiUrl}${path}`, method, { key, body })).status;
  expect(await status('GET', `/v1/spaces/${user.spaceId}`)).toBe(200);
  expect(await status('GET', '/v1/api-keys')).toBe(200);
  expect(await status('GET', '/v1/postback-secret')).toBe(403);
  expect(await status('POST', '/v1/spaces', { name: 'S' })).toBe(403);
  expect(await status('DELETE', '/v1/api-keys/x')).toBe(403);
  expect(await status('POST', '/v1/upload/s3', {})).toBe(403);
});

test('a key with scope write alone can read, the postback secret too', async () => {
  const user = await newUser();
  const response = await user.call('POST', '/v1/api-keys', { name: 'W', scopes: ['write'] });
  const { key } = created.parse(response.body).data;
  expect((await send(`${user.apiUrl}/v1/spaces`, 'GET', { key })).status).toBe(200);
  expect((await send(`${user.apiUrl}/v1/postback-secret`, 'GET', { key })).status).toBe(200);
});

test('a key created with an expiring key expires at the same time, or earlier if requested, never later', async () => {
  const user = await newUser();
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const parent = created.parse((await user.call('POST', '/v1/api-keys', { name: 'P', expiresAt })).body).data;
  expect(parent.expiresAt).toBe(expiresAt);
  const make = async (body: object) =>
    created.parse((await send(`${user.apiUrl}/v1/api-keys`, 'POST', { key: parent.key, body })).body).data.expiresAt;
  expect(await make({ name: 'C' })).toBe(expiresAt);
  expect(await make({ name: 'C', expiresAt: '2099-01-01T00:00:00+00:00' }).catch(() => 'rejected')).toBe('rejected');
  const earlier = new Date(Date.now() + 60_000).toISOString();
  expect(await make({ name: 'C', expiresAt: earlier })).toBe(earlier);
});

test('the postback secret has the format of Standard Webhooks', async () => {
  const user = await newUser();
  const { status, body } = await user.call('GET', '/v1/postback-secret');
  expect(status).toBe(200);
  const { data } = z.strictObject({ data: postbackSecretSchema.strict() }).parse(body);
  expect(data).toMatchObject({
    secret: expect.stringMatching(/^whsec_[\w+/]{32,}=*$/),
    previousSecret: null,
    previousExpiresAt: null,
  });
});

test('a replayed creation of a key returns the same id and key null', async () => {
  const user = await newUser();
  const make = () => user.call('POST', '/v1/api-keys', { name: 'CI' }, { 'idempotency-key': 'one' });
  const [first, again] = [await make(), await make()];
  const { key, ...rest } = created.parse(first.body).data;
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(again.body.data).toEqual({ ...rest, key: null });
  expect((await send(`${user.apiUrl}/v1/spaces`, 'GET', { key })).status).toBe(200);
  expect(page.parse((await user.call('GET', '/v1/api-keys')).body).data).toHaveLength(2);
});

test('a key is 401 from its expiry on, and not before', async () => {
  const user = await newUser();
  const expiresAt = new Date(Date.now() + 1_000).toISOString();
  const { key } = created.parse((await user.call('POST', '/v1/api-keys', { name: 'K', expiresAt })).body).data;
  const status = async () => (await send(`${user.apiUrl}/v1/spaces`, 'GET', { key })).status;
  expect(await status()).toBe(200);
  await until('it has expired', async () => (await status()) === 401, 5_000);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt) - 50);
});

test('a key with scope read cannot create a key with scope write; a key with a wrong checksum is 401', async () => {
  const user = await newUser();
  const reader = created.parse((await user.call('POST', '/v1/api-keys', { name: 'R', scopes: ['read'] })).body).data;
  const asReader = { key: reader.key, body: { name: 'W', scopes: ['write'] } };
  expect((await send(`${user.apiUrl}/v1/api-keys`, 'POST', asReader)).status).toBe(403);
  const mistyped = user.key.slice(0, -1) + (user.key.endsWith('A') ? 'B' : 'A');
  expect(isWellFormedKey(user.key)).toBe(true);
  expect(isWellFormedKey(mistyped)).toBe(false);
  expect((await send(`${user.apiUrl}/v1/spaces`, 'GET', { key: mistyped })).status).toBe(401);
});

test('lastUsedAt is written at most once a minute', async () => {
  const user = await newUser();
  const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
  try {
    const { rows } = await database.pool.query('select id from api_keys where user_id = $1', [user.userId]);
    const keyId: string = rows[0].id;
    const lastUsedAt = async (age: string) => {
      await database.pool.query('update api_keys set last_used_at = now() - $2::interval where id = $1', [keyId, age]);
      const before = await database.pool.query('select last_used_at from api_keys where id = $1', [keyId]);
      await touchKey(database.pool, keyId);
      const after = await database.pool.query('select last_used_at from api_keys where id = $1', [keyId]);
      return [before.rows[0].last_used_at, after.rows[0].last_used_at];
    };
    const [early, same] = await lastUsedAt('50 seconds');
    expect(same).toEqual(early);
    const [old, written] = await lastUsedAt('70 seconds');
    expect(written).not.toEqual(old);
  } finally {
    await database.close();
  }
});
