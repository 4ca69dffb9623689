/** What one owner, or nobody in particular, does at once leaves the others room. */
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
let way: TcpProxy;
let user: TestUser;
let other: TestUser;
beforeAll(async () => {
  const storage = new URL(stack().settings.S3_ENDPOINT ?? '');
  way = await startTcpProxy(Number(storage.port), { host: storage.hostname });
  service = await startPrivateService();
  await service.startWorker();
  [user, other] = await Promise.all([service.newUser(), service.newUser()]);
}, 120_000);
afterAll(async () => {
  await service?.stop();
  await way?.close();
});

/** Begins a body of no announced length, and sends no more of it. */
function beginBody(path: string, headers: Record<string, string> = {}, url = service.apiUrl): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const lines = Object.entries({ host: 'here', 'content-type': 'application/json', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${path} HTTP/1.1\r\n${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`);
  return socket;
}

test('bodies that never end keep nobody from sending a large one, where there is no key or no such path', async () => {
  const authorization = `Bearer ${user.key}`;
  const sockets = [
    ...['/nothing', '/v1/nothing', '/v1/spaces', '/health'].flatMap((path) => [beginBody(path), beginBody(path)]),
    ...['/nothing', '/v1/nothing'].map((path) => beginBody(path, { authorization })),
  ];
  try {
    const began = Date.now();
    const large = { type: 'CONTENT', initial_data: { data: 'a '.repeat(200_000) }, instructions: {} };
    for (const sender of [user, other]) {
      const answer = await sender.call('POST', `/v1/spaces/${sender.spaceId}/sources`, large);
      expect(answer.status).toBe(201);
    }
    expect(Date.now() - began).toBeLessThan(10_000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a client that leaves while it waits is no error of the service', async () => {
  const path = `/v1/spaces/${user.spaceId}/sources`;
  // Each could be so long that the first takes all that the owner has.
  const sockets = Array.from({ length: 10 }, () => beginBody(path, { authorization: `Bearer ${user.key}` }));
  for (let time = 0; time < 5; time += 1) await user.call('GET', '/v1/spaces');
  for (const socket of sockets) socket.destroy();
  await user.content('a '.repeat(200_000));
  const log = await readFile(join(service.dataFolder, 'logs', 'process-1.log'), 'utf8');
  expect(log).toContain('"api.ready"');
  expect(log.split('\n').filter((line) => line.includes('"request.failed"'))).toEqual([]);
});

/** Holds the row of a source, so that writes of it wait. */
async function holdSource(id: string): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: service.settings.DATABASE_URL });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select 1 from sources where id = $1 for update', [id]);
  return () => holder.end();
}
async function waitingWrites(): Promise<number> {
  const waiting = `select count(*)::int as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  return (await service.database.pool.query(waiting)).rows[0].count;
}

test("an owner's writes that wait for each other leave connections to the others", async () => {
  const { id } = await user.content('Some words.');
  await user.reach(id, 'COMPLETED', 60_000);
  const letGo = await holdSource(id);
  const actions = Array.from({ length: 30 }, () =>
    user.call('POST', `/v1/spaces/${user.spaceId}/sources/actions`, { action: 'reprocess', ids: [id] }),
  );
  try {
    await until('some of them wait for the row', async () => (await waitingWrites()) >= 5);
    for (let time = 0; time < 10; time += 1) {
      const began = Date.now();
      expect((await other.call('GET', '/v1/spaces')).status).toBe(200);
      expect(Date.now() - began).toBeLessThan(1_000);
    }
  } finally {
    await letGo();
  }
  for (const { status } of await Promise.all(actions)) expect(status).toBe(200);
});

test.each([
  ['contents', 'Some words.', 'sources.content,sources.context'],
  ['sources with long texts', 'a'.repeat(5_000_000), 'sources.get,sources.get'],
])('a tRPC batch reads one of several %s, and says so of the other', async (_, data, calls) => {
  const { id } = await user.content(data);
  await user.reach(id, 'COMPLETED', 60_000);
  const input = encodeURIComponent(JSON.stringify({ 0: { sourceId: id }, 1: { sourceId: id } }));
  const { body } = await user.call('GET', `/trpc/${calls}?batch=1&input=${input}`);
  const refused = body.filter((answer: object) => 'error' in answer);
  expect(refused).toHaveLength(1);
  expect(refused[0].error.data.error).toMatchObject({ code: 400, details: [{ field: 'path' }] });
});

test('with a silent storage every read of a queue of them is 503 within 5 s', async () => {
  const { id } = await user.content('Some words.');
  await user.reach(id, 'COMPLETED', 60_000);
  const replica = await service.startReplica({ S3_ENDPOINT: `http://${way.address}`, API_RUNS_DISPATCHER: 'false' });
  const headers = { authorization: `Bearer ${user.key}` };
  const read = async () => {
    const began = Date.now();
    const answer = await fetch(`${replica.url}/v1/sources/${id}/context`, { headers });
    await answer.arrayBuffer();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), ms: Date.now() - began };
  };
  expect((await read()).status).toBe(200);
  way.silence();
  const reads = await Promise.all(Array.from({ length: 40 }, read));
  for (const { ms, ...answer } of reads) {
    expect(answer).toEqual({ status: 503, retryAfter: '5' });
    expect(ms).toBeLessThan(5_000);
  }
  way.reset();
  await way.restore();
  await replica.kill();
});

test('a server that stops says so in the shape of all errors, while it still answers the others', async () => {
  const replica = await service.startReplica({ API_RUNS_DISPATCHER: 'false' });
  const { hostname, port } = new URL(replica.url);
  const body = beginBody('/v1/spaces', { authorization: `Bearer ${user.key}` }, replica.url);
  const second = connect(Number(port), hostname);
  await Promise.all([once(body, 'connect'), once(second, 'connect')]);
  let answer = '';
  second.on('error', () => undefined);
  second.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  const ask = () => second.write('GET /v1/spaces HTTP/1.1\r\nHost: here\r\n\r\n');
  ask();
  // Then the other request is under way, too.
  await until('it answers', async () => answer.includes('"code":401'));
  process.kill(replica.pid, 'SIGTERM');
  await until('it refuses', async () => {
    if (!answer.includes('"code":503')) ask();
    return answer.includes('"code":503');
  });
  expect(answer).toMatch(/x-request-id: /);
  expect(answer).toMatch(/retry-after: 1/);
  expect(answer).toMatch(/x-content-type-options: nosniff/);
  body.destroy();
  second.destroy();
});
