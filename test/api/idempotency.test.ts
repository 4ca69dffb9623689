/** Idempotency-Key: repeated requests get the first response, and nothing is done twice. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Pool } from 'pg';
import { newUser, type TestUser, upload } from '../support/client.ts';
import { copySources } from '../support/copy-sources.ts';
import { startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

const body = { type: 'CONTENT', initial_data: { data: 'Once.' }, instructions: {} };
const keyed = (key: string) => ({ 'idempotency-key': key });
const sourcesOf = async (spaceId: string) => (await user.call('GET', `/v1/spaces/${spaceId}/sources`)).body.data;

async function emptySpace(): Promise<string> {
  return (await user.call('POST', '/v1/spaces', { name: 'Empty' })).body.data.id;
}

test('the same key and body get the stored response, over all path prefixes and protocols', async () => {
  const spaceId = await emptySpace();
  const key = randomUUID();
  const first = await user.call('POST', `/v1/spaces/${spaceId}/sources`, body, keyed(key));
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  const reordered = { instructions: {}, initial_data: { data: 'Once.' }, type: 'CONTENT' };
  const again = await user.call('POST', `/api/v1/spaces/${spaceId}/sources`, reordered, keyed(key));
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(again.body).toEqual(first.body);
  const trpc = await user.call('POST', '/trpc/sources.create', { spaceId, ...body }, keyed(key));
  expect([trpc.status, trpc.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(trpc.body.result.data).toEqual(first.body.data);
  expect(await sourcesOf(spaceId)).toHaveLength(1);
});

test('another body is 422; in another space or of another owner the key is a new request', async () => {
  const [one, two] = await Promise.all([emptySpace(), emptySpace()]);
  const key = randomUUID();
  await user.call('POST', `/v1/spaces/${one}/sources`, body, keyed(key));
  const other = { ...body, initial_data: { data: 'Twice.' } };
  const rejected = await user.call('POST', `/v1/spaces/${one}/sources`, other, keyed(key));
  expect([rejected.status, rejected.body.details[0].field]).toEqual([422, 'Idempotency-Key']);
  expect((await user.call('POST', `/v1/spaces/${two}/sources`, other, keyed(key))).status).toBe(201);
  const stranger = await newUser();
  const theirs = await stranger.call('POST', `/v1/spaces/${stranger.spaceId}/sources`, other, keyed(key));
  expect([theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

test('only success is stored: after a 400 the key may be used again', async () => {
  const spaceId = await emptySpace();
  const key = randomUUID();
  const withMember = { type: 'COMPOSITION', initial_data: { data: [randomUUID()] }, instructions: {} };
  const path = `/v1/spaces/${spaceId}/sources`;
  expect((await user.call('POST', path, withMember, keyed(key))).status).toBe(400);
  expect((await user.call('POST', path, body, keyed(key))).status).toBe(201);
});

test('200 concurrent requests with one key create one source', async () => {
  const spaceId = await emptySpace();
  const key = randomUUID();
  const send = () => user.call('POST', `/v1/spaces/${spaceId}/sources`, body, keyed(key));
  const responses = await Promise.all(Array.from({ length: 200 }, send));
  const created = responses.filter(({ status }) => status === 201);
  const running = responses.filter(({ status }) => status === 409);
  expect(created.length + running.length).toBe(200);
  expect(created.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  expect(new Set(created.map((response) => response.body.data.id)).size).toBe(1);
  expect(new Set(running.map(({ headers }) => headers.get('retry-after')))).toEqual(
    new Set(running.length > 0 ? ['1'] : []),
  );
  expect((await send()).headers.get('idempotent-replayed')).toBe('true');
  expect(await sourcesOf(spaceId)).toHaveLength(1);
});

test('a repeated reprocess creates one generation, one with a new key another', async () => {
  const { id } = await user.content('Some words.');
  const path = `/v1/sources/${id}/reprocess`;
  const key = randomUUID();
  const [first, again] = [await user.call('POST', path, {}, keyed(key)), await user.call('POST', path, {}, keyed(key))];
  expect([first.status, again.status]).toEqual([202, 202]);
  expect([first.body.data.generation, again.body.data.generation]).toEqual([2, 2]);
  expect((await user.call('POST', path, {}, keyed(randomUUID()))).body.data.generation).toBe(3);
});

test('a repeated creation of a FILE source gets the stored response after its upload was claimed', async () => {
  const fileKey = await upload(user, 'a.txt', 'text/plain', Buffer.from('Some words.'));
  const path = `/v1/spaces/${user.spaceId}/sources`;
  const key = randomUUID();
  const file = { type: 'FILE', initial_data: { data: fileKey }, instructions: {} };
  const first = await user.call('POST', path, file, keyed(key));
  await user.reach(first.body.data.id, 'COMPLETED');
  const again = await user.call('POST', path, file, keyed(key));
  expect(again.body).toEqual(first.body);
});

test.each([
  ['empty', ''],
  ['too long', 'k'.repeat(256)],
  ['not ASCII', 'clé'],
])('a key that is %s is 400 on Idempotency-Key', async (_, key) => {
  const { status, body: error } = await user.call('POST', '/v1/spaces', { name: 'S' }, keyed(key));
  expect([status, error.details[0].field]).toEqual([400, 'Idempotency-Key']);
});

describe('a bulk action', () => {
  async function manySources(made: Record<string, unknown>, count: number) {
    const of = await newUser();
    const { id } = await of.create({ type: 'CONTENT', ...made });
    await of.reach(id, 'COMPLETED');
    const pool = new Pool({ connectionString: stack().settings.DATABASE_URL, max: 1 });
    const client = await pool.connect();
    await client.query('begin');
    const copies = await copySources(client, id, count - 1);
    await client.query('commit');
    client.release();
    await pool.end();
    const act = (ids: string[], key?: string) =>
      of.call('POST', `/v1/spaces/${of.spaceId}/sources/actions`, { action: 'pin', ids }, key ? keyed(key) : {});
    return { of, ids: [id, ...copies], act };
  }

  test('on 100 sources of 2,000 characters has its response stored', async () => {
    const { ids, act } = await manySources({ initial_data: { data: '水'.repeat(2_000) } }, 100);
    const first = await act(ids, 'hundred');
    expect([first.status, first.body.data.length]).toEqual([200, 100]);
    const again = await act(ids, 'hundred');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  test('with a key is 400 and rolled back if its response exceeds the 1 MiB that can be stored', async () => {
    const notes = { note: 'a'.repeat(16_000) };
    const { of, ids, act } = await manySources({ initial_data: { data: 'Words.', ...notes }, instructions: notes }, 40);
    const rejected = await act(ids, 'large');
    expect([rejected.status, rejected.body.details?.[0].field]).toEqual([400, 'Idempotency-Key']);
    expect(rejected.body.details[0].message).toContain('1048576');
    expect((await of.call('GET', `/v1/spaces/${of.spaceId}/sources?pinned=true`)).body.data).toEqual([]);
    const some = await act(ids.slice(0, 20), 'large');
    expect(some.status).toBe(200);
    expect((await act(ids.slice(0, 20), 'large')).body).toEqual(some.body);
    expect((await act(ids)).status).toBe(200);
  });
});

test('a tRPC batch of several calls with an Idempotency-Key is 400', async () => {
  const batch = { 0: { name: 'A' }, 1: { name: 'B' } };
  const { status, body: error } = await user.call(
    'POST',
    '/trpc/spaces.create,spaces.create?batch=1',
    batch,
    keyed('k'),
  );
  expect(status).toBe(400);
  expect(JSON.stringify(error)).toContain('Idempotency-Key');
});

test('a request repeated after a crash between write and response creates no second source', async () => {
  const service = await startPrivateService();
  try {
    const own = await service.newUser();
    const text = JSON.stringify(body);
    const { hostname, port } = new URL(service.apiUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    // Never reads, so that the response is lost with the process.
    socket.pause();
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/spaces/${own.spaceId}/sources HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${own.key}\r\n` +
        `Content-Type: application/json\r\nIdempotency-Key: crash\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    await until('the source is written', async () => {
      const { rows } = await service.database.pool.query("select from idempotency_keys where key = 'crash'");
      return rows.length === 1;
    });
    await service.api.kill();
    await service.api.start();
    socket.destroy();
    const again = await own.call('POST', `/v1/spaces/${own.spaceId}/sources`, body, keyed('crash'));
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    const { body: list } = await own.call('GET', `/v1/spaces/${own.spaceId}/sources`);
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual([again.body.data.id]);
  } finally {
    await service.stop();
  }
});
