/** Concurrent requests of one owner, or without a key, leave resources to other owners. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestUser } from '../../support/client.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { stack } from '../../support/stack.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

let service: PrivateService;
let storageProxy: TcpProxy;
let user: TestUser;
let other: TestUser;
beforeAll(async () => {
  const storage = new URL(stack().settings.S3_ENDPOINT ?? '');
  storageProxy = await startTcpProxy(Number(storage.port), { host: storage.hostname });
  service = await startPrivateService();
  await service.startWorker();
  [user, other] = await Promise.all([service.newUser(), service.newUser()]);
}, 120_000);
afterAll(async () => {
  await service?.stop();
  await storageProxy?.close();
});

/** Sends the head and the first byte of a chunked request, and no more. */
function beginBody(path: string, headers: Record<string, string> = {}, url = service.apiUrl): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const lines = Object.entries({ host: 'here', 'content-type': 'application/json', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${path} HTTP/1.1\r\n${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`);
  return socket;
}

test('unfinished bodies without a key or at unknown paths delay large bodies by less than 10 s', async () => {
  const authorization = `Bearer ${user.key}`;
  const sockets = [
    ...['/nothing', '/v1/nothing', '/v1/spaces', '/health'].flatMap((path) => [beginBody(path), beginBody(path)]),
    ...['/nothing', '/v1/nothing'].map((path) => beginBody(path, { authorization })),
  ];
  try {
    const began = Date.now();
    const large = { type: 'CONTENT', initial_data: { data: 'a '.repeat(200_000) }, instructions: {} };
    for (const sender of [user, other]) {
      const response = await sender.call('POST', `/v1/spaces/${sender.spaceId}/sources`, large);
      expect(response.status).toBe(201);
    }
    expect(Date.now() - began).toBeLessThan(10_000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a client that disconnects while its request waits is not logged as request.failed', async () => {
  const path = `/v1/spaces/${user.spaceId}/sources`;
  // Without a known length each reserves the maximum, so that the first takes the whole share of the owner.
  const sockets = Array.from({ length: 10 }, () => beginBody(path, { authorization: `Bearer ${user.key}` }));
  for (let time = 0; time < 5; time += 1) await user.call('GET', '/v1/spaces');
  for (const socket of sockets) socket.destroy();
  await user.content('a '.repeat(200_000));
  const log = await readFile(join(service.dataFolder, 'logs', 'process-1.log'), 'utf8');
  expect(log).toContain('"api.ready"');
  expect(log.split('\n').filter((line) => line.includes('"request.failed"'))).toEqual([]);
});

/** Locks the row of a source, so that writes to it wait; returns the function that unlocks it. */
async function lockSource(id: string): Promise<() => Promise<void>> {
  const session = new Client({ connectionString: service.settings.DATABASE_URL });
  await session.connect();
  await session.query('begin');
  await session.query('select 1 from sources where id = $1 for update', [id]);
  return () => session.end();
}
async function waitingWrites(): Promise<number> {
  const waiting = `select count(*)::int as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  return (await service.database.pool.query(waiting)).rows[0].count;
}

test('while 30 writes of one owner wait for a lock, reads of another owner take less than 1 s', async () => {
  const { id } = await user.content('Some words.');
  await user.reach(id, 'COMPLETED', 60_000);
  const unlock = await lockSource(id);
  const actions = Array.from({ length: 30 }, () =>
    user.call('POST', `/v1/spaces/${user.spaceId}/sources/actions`, { action: 'reprocess', ids: [id] }),
  );
  try {
    await until('five of them wait for the row', async () => (await waitingWrites()) >= 5);
    for (let time = 0; time < 10; time += 1) {
      const began = Date.now();
      expect((await other.call('GET', '/v1/spaces')).status).toBe(200);
      expect(Date.now() - began).toBeLessThan(1_000);
    }
  } finally {
    await unlock();
  }
  for (const { status } of await Promise.all(actions)) expect(status).toBe(200);
});

test.each([
  ['contents', 'Some words.', 'sources.content,sources.context'],
  ['sources with long texts', 'a'.repeat(5_000_000), 'sources.get,sources.get'],
])('of two %s in a tRPC batch one is read and the other is 400', async (_, data, calls) => {
  const { id } = await user.content(data);
  await user.reach(id, 'COMPLETED', 60_000);
  const input = encodeURIComponent(JSON.stringify({ 0: { sourceId: id }, 1: { sourceId: id } }));
  const { body } = await user.call('GET', `/trpc/${calls}?batch=1&input=${input}`);
  const rejected = body.filter((response: object) => 'error' in response);
  expect(rejected).toHaveLength(1);
  expect(rejected[0].error.data.error).toMatchObject({ code: 400, details: [{ field: 'path' }] });
});

test('while the storage is silent, each of 40 concurrent reads is 503 within 5 s', async () => {
  const { id } = await user.content('Some words.');
  await user.reach(id, 'COMPLETED', 60_000);
  const replica = await service.startReplica({
    S3_ENDPOINT: `http://${storageProxy.address}`,
    API_RUNS_DISPATCHER: 'false',
  });
  const headers = { authorization: `Bearer ${user.key}` };
  const read = async () => {
    const began = Date.now();
    const response = await fetch(`${replica.url}/v1/sources/${id}/context`, { headers });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), ms: Date.now() - began };
  };
  expect((await read()).status).toBe(200);
  storageProxy.silence();
  const reads = await Promise.all(Array.from({ length: 40 }, read));
  for (const { ms, ...response } of reads) {
    expect(response).toEqual({ status: 503, retryAfter: '5' });
    expect(ms).toBeLessThan(5_000);
  }
  storageProxy.reset();
  await storageProxy.restore();
  await replica.kill();
});

test('a stopping server with a request in progress sends 503 error responses with Retry-After: 1', async () => {
  const replica = await service.startReplica({ API_RUNS_DISPATCHER: 'false' });
  const { hostname, port } = new URL(replica.url);
  const body = beginBody('/v1/spaces', { authorization: `Bearer ${user.key}` }, replica.url);
  const second = connect(Number(port), hostname);
  await Promise.all([once(body, 'connect'), once(second, 'connect')]);
  let response = '';
  second.on('error', () => undefined);
  second.setEncoding('utf8').on('data', (text) => {
    response += text;
  });
  const sendRequest = () => second.write('GET /v1/spaces HTTP/1.1\r\nHost: here\r\n\r\n');
  sendRequest();
  // Then the first request is in progress, too.
  await until('it responds with 401', async () => response.includes('"code":401'));
  process.kill(replica.pid, 'SIGTERM');
  await until('it responds with 503', async () => {
    if (!response.includes('"code":503')) sendRequest();
    return response.includes('"code":503');
  });
  expect(response).toMatch(/x-request-id: /);
  expect(response).toMatch(/retry-after: 1/);
  expect(response).toMatch(/x-content-type-options: nosniff/);
  body.destroy();
  second.destroy();
});
