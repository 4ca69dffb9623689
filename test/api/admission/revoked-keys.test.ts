/** A deleted key authorizes nothing, not even requests that were begun with it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { lockKey } from '../../../db/queries/users/find-key.ts';
import { transaction } from '../../../db/sql.ts';
import { createKey, deleteKey } from '../../../db/transitions/users/create-key.ts';
import { send, type TestUser } from '../../support/client.ts';
import { expectDocumented } from '../../support/document.ts';
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

/** Creates a key and begins a request with it, of whose body only the first byte is sent. */
async function beginRequest(method: string, path: string, body: string, extra = '') {
  const { data } = (await user.call('POST', '/v1/api-keys', { name: 'K' })).body;
  const { hostname, port } = new URL(service.apiUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${data.key}\r\nConnection: close\r\n${extra}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
  );
  // lastUsedAt is set once the request is authenticated.
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
  ['creates no key', 'POST', '/v1/api-keys', '{"name":"Another"}'],
  ['creates no space', 'POST', '/v1/spaces', '{"name":"S"}'],
  ['rotates no secret', 'POST', '/v1/postback-secret/rotate', '{}'],
  ['sends no test postback', 'POST', '/v1/postbacks/test', '{"url":"http://127.0.0.1:9/"}'],
])('a request begun before the deletion of its key is 401 and %s', async (_, method, path, body) => {
  const request = await beginRequest(method, path, body);
  await user.call('DELETE', `/v1/api-keys/${request.key.id}`);
  const before = await keyCount();
  expect((await request.finish()).status).toBe(401);
  expect(await keyCount()).toBe(before);
});

test('a request begun before the deletion of its key gets no stored response', async () => {
  const idempotency = { 'idempotency-key': 'once' };
  const first = await beginRequest('POST', '/v1/postback-secret/rotate', '{}', 'Idempotency-Key: once\r\n');
  const stored = await send(`${service.apiUrl}/v1/postback-secret/rotate`, 'POST', {
    key: first.key.key,
    body: {},
    headers: idempotency,
  });
  expect(stored.status).toBe(200);
  await user.call('DELETE', `/v1/api-keys/${first.key.id}`);
  const { status, text } = await first.finish();
  expect(status).toBe(401);
  expect(text).not.toContain('whsec_');
});

test('the deletion of a key waits for a write with that key', async () => {
  const { orm, pool } = service.database;
  const em = orm.em.fork();
  const { id } = await createKey(em, { userId: user.userId, name: 'K', scopes: ['write'], expiresAt: null });
  let deleted = false;
  let deleting: Promise<unknown> = Promise.resolve();
  await transaction(service.database, async (session) => {
    expect(await lockKey(session, id)).toBe(true);
    deleting = deleteKey(em, user.userId, id).then(() => {
      deleted = true;
    });
    await until('the deletion waits', async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from "api_keys"%'`,
      );
      return rows.length > 0;
    });
    expect(deleted).toBe(false);
  });
  await deleting;
  await transaction(service.database, async (session) => {
    expect(await lockKey(session, id)).toBe(false);
  });
});

test('a write that waits for the deletion of its key is 401 and writes nothing', async () => {
  const { data } = (await user.call('POST', '/v1/api-keys', { name: 'K' })).body;
  const client = await service.database.pool.connect();
  let pending: ReturnType<typeof send>;
  try {
    // Other sessions see the key until the deletion is committed.
    await client.query('begin');
    await client.query('delete from api_keys where id = $1', [data.id]);
    pending = send(`${service.apiUrl}/v1/spaces`, 'POST', { key: data.key, body: { name: 'Too late' } });
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
  expect((await pending).status).toBe(401);
  const spaces = (await user.call('GET', '/v1/spaces?q=Too+late')).body.data;
  expect(spaces).toEqual([]);
});

test('a request that is incomplete after 10 s is 408, and its connection is closed', async () => {
  const request = await beginRequest('POST', '/v1/spaces', '{"name":"S"}');
  const text = (await buffer(request.socket)).toString();
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  const [head = '', json = ''] = text.split('\r\n\r\n');
  const headers = new Headers(
    head
      .split('\r\n')
      .slice(1)
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  const body = JSON.parse(json);
  expect(body).toMatchObject({ code: 408 });
  const { origin } = new URL(service.apiUrl);
  await expectDocumented({ method: 'POST', origin, path: '/v1/spaces', status: 408, headers, body });
}, 30_000);
