/** A key that was deleted opens nothing, whatever was begun with it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { holdKey } from '../../../db/queries/users/find-key.ts';
import { transaction } from '../../../db/sql.ts';
import { createKey, deleteKey } from '../../../db/transitions/users/create-key.ts';
import { send, type TestUser } from '../../support/client.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { until } from '../../support/until.ts';

const REQUEST_SECONDS = 10;

let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({ settings: { REQUEST_TIMEOUT_SECONDS: String(REQUEST_SECONDS) } });
  user = await service.newUser();
}, 60_000);
afterAll(() => service?.stop());

/** A key of the user's, and the text of a request with it whose body is not sent yet. */
async function begun(method: string, path: string, body: string, extra = '') {
  const { data } = (await user.call('POST', '/v1/api-keys', { name: 'K' })).body;
  const { hostname, port } = new URL(service.apiUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${data.key}\r\nConnection: close\r\n${extra}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
  );
  // It was admitted with the key: that is noted.
  await until('the key was used', async () => {
    const keys = (await user.call('GET', '/v1/api-keys?limit=100')).body.data;
    return keys.find(({ id }: { id: string }) => id === data.id)?.lastUsedAt !== null;
  });
  return {
    key: data,
    async finish() {
      socket.write(body.slice(1));
      const text = (await buffer(socket)).toString();
      return { status: Number(text.split(' ')[1]), text };
    },
    socket,
  };
}

const keyCount = async () => (await user.call('GET', '/v1/api-keys?limit=100')).body.data.length;

test.each([
  ['makes no other key', 'POST', '/v1/api-keys', '{"name":"Another"}'],
  ['makes no space', 'POST', '/v1/spaces', '{"name":"S"}'],
  ['rotates no secret', 'POST', '/v1/postback-secret/rotate', '{}'],
  ['sends no sample', 'POST', '/v1/postbacks/test', '{"url":"http://127.0.0.1:9/"}'],
])('a request that was begun before the deletion %s', async (_, method, path, body) => {
  const request = await begun(method, path, body);
  await user.call('DELETE', `/v1/api-keys/${request.key.id}`);
  const before = await keyCount();
  expect((await request.finish()).status).toBe(401);
  expect(await keyCount()).toBe(before);
});

test('nor does it get the answer that was kept for an earlier request', async () => {
  const idempotency = { 'idempotency-key': 'once' };
  const first = await begun('POST', '/v1/postback-secret/rotate', '{}', 'Idempotency-Key: once\r\n');
  const answered = await send(`${service.apiUrl}/v1/postback-secret/rotate`, 'POST', {
    key: first.key.key,
    body: {},
    headers: idempotency,
  });
  expect(answered.status).toBe(200);
  await user.call('DELETE', `/v1/api-keys/${first.key.id}`);
  const { status, text } = await first.finish();
  expect(status).toBe(401);
  expect(text).not.toContain('whsec_');
});

test('a key that is deleted while a write is made is gone only after it', async () => {
  const { pool } = service.database;
  const { id } = await createKey(pool, { userId: user.userId, name: 'K', scopes: ['write'], expiresAt: null });
  let deleted = false;
  let deleting: Promise<unknown> = Promise.resolve();
  await transaction(service.database, async (session) => {
    expect(await holdKey(session, id)).toBe(true);
    deleting = deleteKey(pool, user.userId, id).then(() => {
      deleted = true;
    });
    await until('the deletion waits', async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from api_keys%'`,
      );
      return rows.length > 0;
    });
    expect(deleted).toBe(false);
  });
  await deleting;
  await transaction(service.database, async (session) => {
    expect(await holdKey(session, id)).toBe(false);
  });
});

test('a write that meets the deletion of its key is not made', async () => {
  const { data } = (await user.call('POST', '/v1/api-keys', { name: 'K' })).body;
  const client = await service.database.pool.connect();
  let answering: ReturnType<typeof send>;
  try {
    // Others see the key until the deletion is committed.
    await client.query('begin');
    await client.query('delete from api_keys where id = $1', [data.id]);
    answering = send(`${service.apiUrl}/v1/spaces`, 'POST', { key: data.key, body: { name: 'Too late' } });
    await until('the write waits', async () => {
      const { rows } = await service.database.pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%for key share of k%'`,
      );
      return rows.length > 0;
    });
    await client.query('commit');
  } finally {
    client.release();
  }
  expect((await answering).status).toBe(401);
  const spaces = (await user.call('GET', '/v1/spaces?q=Too+late')).body.data;
  expect(spaces).toEqual([]);
});

test('a request that does not arrive in time is answered 408 and its connection closed', async () => {
  const request = await begun('POST', '/v1/spaces', '{"name":"S"}');
  const text = (await buffer(request.socket)).toString();
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ code: 408 });
}, 30_000);
