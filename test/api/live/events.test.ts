/** Event streams: no final state is missed, whatever fails in between. */
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import { Client } from 'pg';
import type { AppRouter } from '../../../apps/api/routers/index.ts';
import { transaction } from '../../../db/sql.ts';
import { newUser, send, type TestUser } from '../../support/client.ts';
import { copySources } from '../../support/copy-sources.ts';
import { type OpenStream, openStream, type ReceivedEvent } from '../../support/event-stream.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

const opened: OpenStream[] = [];
async function stream(path: string, of: TestUser = user, lastEventId?: string, key = of.key): Promise<OpenStream> {
  const made = await openStream(`${of.apiUrl}${path}`, key, lastEventId);
  opened.push(made);
  return made;
}
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test('the stream of a source begins with the current state and shows its deletion and restoration', async () => {
  const { id } = await user.content(`# Words\n\n${'a'.repeat(2_000)}`);
  const { revision } = await user.reach(id, 'COMPLETED');
  const { status, headers, events, see } = await stream(`/v1/sources/${id}/events`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-accel-buffering')).toBe('no');
  expect(headers.get('ratelimit-limit')).not.toBeNull();
  const first = await see('the current state', () => true);
  expect(first).toMatchObject({ event: 'source', id: String(revision), data: { id, revision, truncated: true } });
  expect(first.data).toEqual((await user.call('GET', `/v1/spaces/${user.spaceId}/sources`)).body.data[0]);

  await user.call('PATCH', `/v1/sources/${id}/toggle-pin`);
  await see('it is pinned', ({ data }) => data.pinned);
  await user.call('DELETE', `/v1/sources/${id}`);
  await see('it is deleted', ({ data }) => data.deletedAt !== null);
  await user.call('POST', `/v1/sources/${id}/restore`);
  await see('it is restored', ({ data }) => data.deletedAt === null && data.revision > revision + 1);
  const revisions = events.map((event) => Number(event.id));
  expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  expect(events.map(({ data }) => String(data.revision))).toEqual(events.map(({ id }) => id));
});

test('the stream of a space sends `ready`, then every source up to COMPLETED, to each client', async () => {
  const of = await newUser();
  const path = `/v1/spaces/${of.spaceId}/events`;
  const streams = await Promise.all([stream(path, of), stream(`/api${path}`, of), stream(path, of)]);
  for (const { see } of streams) {
    const first = await see('it begins', () => true);
    expect(first).toMatchObject({ event: 'ready', id: expect.stringMatching(isTime), data: {} });
  }
  const created = await Promise.all(Array.from({ length: 12 }, (_, index) => of.content(`Words ${index}.`)));
  for (const { events } of streams) {
    await until('every source is completed', async () =>
      created.every(({ id }) => events.findLast(({ data }) => data.id === id)?.data.status === 'COMPLETED'),
    );
    expect(events.slice(1).every(({ event, id, data }) => event === 'source' && id >= data.updatedAt)).toBe(true);
    expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted());
  }
});

test('a change that commits after a later one is sent with an id that is not lower', async () => {
  const of = await newUser();
  const [slow, quick] = [await of.content('Slow.'), await of.content('Quick.')];
  await Promise.all([slow, quick].map(({ id }) => of.reach(id, 'COMPLETED')));
  const { events, see } = await stream(`/v1/spaces/${of.spaceId}/events`, of);
  await see('it begins', ({ event }) => event === 'ready');
  const client = new Client({ connectionString: stack().settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`update sources set name = 'Slow', revision = revision + 1, updated_at = now() where id = $1`, [
      slow.id,
    ]);
    await of.call('PATCH', `/v1/sources/${quick.id}`, { name: 'Quick' });
    await see('the quick one', ({ data }) => data.id === quick.id);
    await client.query('commit');
    await client.query('select pg_notify($1, $2)', ['changes', `source:${slow.id}:${of.spaceId}`]);
  } finally {
    await client.end();
  }
  const { id, data } = await see('the slow one', (event) => event.data.id === slow.id);
  expect(id > data.updatedAt).toBe(true);
  expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted());
});

test('a notification of a change from before `ready` sends no event', async () => {
  const of = await newUser();
  const [before, after] = [await of.content('Before.'), await of.content('After.')];
  await Promise.all([before, after].map(({ id }) => of.reach(id, 'COMPLETED')));
  const { events, see } = await stream(`/v1/spaces/${of.spaceId}/events`, of);
  await see('it begins', ({ event }) => event === 'ready');
  const client = new Client({ connectionString: stack().settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query('select pg_notify($1, $2)', ['changes', `source:${before.id}:${of.spaceId}`]);
  } finally {
    await client.end();
  }
  await of.call('PATCH', `/v1/sources/${after.id}`, { name: 'After' });
  await see('a later change', ({ data }) => data.id === after.id);
  expect(events.filter(({ data }) => data.id === before.id)).toEqual([]);
});

test('with Last-Event-ID a stream first sends the missed changes, oldest first', async () => {
  const of = await newUser();
  const path = `/v1/spaces/${of.spaceId}/events`;
  const before = await stream(path, of);
  const { id: lastEventId } = await before.see('it begins', () => true);
  await before.close();
  const [kept, deleted] = [await of.content('Kept.'), await of.content('Deleted.')];
  await of.reach(kept.id, 'COMPLETED');
  await of.reach(deleted.id, 'COMPLETED');
  await of.call('DELETE', `/v1/sources/${deleted.id}`);

  const { events, see } = await stream(path, of, lastEventId);
  await see('the deletion', ({ data }) => data.deletedAt !== null);
  expect(events.map(({ data }) => data.id)).toEqual([kept.id, deleted.id]);
  const times = events.map(({ id }) => id);
  expect(times).toEqual([...times].sort());
  // Changes of the last 30 s are sent again: a change may become visible after a later one.
  const again = await stream(path, of, times.at(-1));
  await again.see('both', ({ data }) => data.id === deleted.id);
  expect(again.events.map(({ data }) => data.id)).toEqual([kept.id, deleted.id]);
});

test.each(['nonsense', '2026-01-01', '1', '0000-00-00T00:00:00.000Z'])(
  'an invalid Last-Event-ID (%s) is a reset',
  async (id) => {
    const { see } = await stream(`/v1/spaces/${user.spaceId}/events`, user, id);
    expect(await see('it begins', () => true)).toMatchObject({ event: 'reset', id: expect.stringMatching(isTime) });
  },
);

test('a stream ends with the deletion of its key', async () => {
  const { data } = (await user.call('POST', '/v1/api-keys', { name: 'K' })).body;
  const path = `/v1/spaces/${user.spaceId}/events`;
  const ofKey = await stream(path, user, undefined, data.key);
  const other = await stream(path);
  await ofKey.see('it begins', () => true);
  await user.call('DELETE', `/v1/api-keys/${data.id}`);
  await ofKey.ended;
  expect((await stream(path, user, undefined, data.key)).status).toBe(401);
  await user.content('Words.');
  await other.see('the other stream continues', ({ event }) => event === 'source');
});

test('a stream ends with the deletion of its space; in a deleted or another owner’s space it is 404', async () => {
  const of = await newUser();
  const source = await of.content('Words.');
  const streams = [
    await stream(`/v1/spaces/${of.spaceId}/events`, of),
    await stream(`/v1/sources/${source.id}/events`, of),
  ];
  expect((await stream(`/v1/spaces/${of.spaceId}/events`)).status).toBe(404);
  expect((await stream(`/v1/sources/${source.id}/events`)).status).toBe(404);
  await of.call('DELETE', `/v1/spaces/${of.spaceId}`);
  await Promise.all(streams.map(({ ended }) => ended));
  expect((await stream(`/v1/spaces/${of.spaceId}/events`, of)).status).toBe(404);
});

test('tRPC clients subscribe to the same events and continue after lastEventId', async () => {
  const authorization = `Bearer ${user.key}`;
  const client = createTRPCClient<AppRouter>({
    links: [
      httpSubscriptionLink({
        url: `${user.apiUrl}/trpc`,
        EventSource,
        eventSourceOptions: () => ({
          fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization } }),
        }),
      }),
    ],
  });
  const { id } = await user.content('Words.');
  const { updatedAt } = await user.reach(id, 'COMPLETED');
  async function first(lastEventId?: string) {
    const input = { spaceId: user.spaceId, ...(lastEventId === undefined ? {} : { lastEventId }) };
    return new Promise<ReceivedEvent['data'] | string>((resolve, reject) => {
      const subscription = client.spaces.events.subscribe(input, {
        onData({ data }) {
          if (data.event === 'source' && data.source.id !== id) return;
          subscription.unsubscribe();
          resolve(data.event === 'source' ? data.source : data.event);
        },
        onError: reject,
      });
    });
  }
  expect(await first()).toBe('ready');
  expect(await first(updatedAt)).toMatchObject({ id, status: 'COMPLETED' });
  expect(await first('nonsense')).toBe('reset');
});

describe('on a private service', () => {
  let service: PrivateService;
  beforeAll(async () => {
    service = await startPrivateService({ settings: { RATE_LIMIT_FREE: '1000' } });
  });
  afterAll(() => service.stop());

  test('plan free allows 10 open streams and long polls; one more is 429 until one closes', async () => {
    const of = await service.newUser({ plan: 'free' });
    const path = `/v1/spaces/${of.spaceId}/events`;
    const streams = await Promise.all(Array.from({ length: 10 }, () => stream(path, of)));
    expect(streams.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const rejected = await stream(path, of);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '5']);
    const { id } = await of.content('Words.');
    const waited = await of.call('GET', `/v1/sources/${id}?waitSeconds=1`);
    expect([waited.status, waited.headers.get('retry-after')]).toEqual([429, '5']);
    await streams[0]?.close();
    await until('another stream is accepted', async () => (await stream(path, of)).status === 200);
    expect((await send(`${of.apiUrl}/metrics`, 'GET')).body).toMatch(
      /requests_refused_total\{kind="open_waits"\} [1-9]/,
    );
  });

  test('a change is sent although the connection for notifications was cut', async () => {
    const of = await service.newUser();
    const source = await of.content('Words.');
    const ofSpace = await stream(`/v1/spaces/${of.spaceId}/events`, of);
    const ofSource = await stream(`/v1/sources/${source.id}/events`, of);
    await ofSpace.see('it begins', () => true);
    await until('the connection is cut', async () => {
      const { rows } = await service.database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'context-workspace-listen'`,
      );
      return rows.length > 0;
    });
    await of.call('PATCH', `/v1/sources/${source.id}/toggle-pin`);
    await Promise.all([ofSpace, ofSource].map(({ see }) => see('it is pinned', ({ data }) => data.pinned)));
  });

  test('more than 1,000 missed changes are a reset, 1,000 are sent', async () => {
    const of = await service.newUser();
    const { id } = await of.content('Words.');
    await until('it is PENDING', async () => (await of.get(id)).status === 'PENDING');
    await transaction(service.database, (session) => copySources(session, id, 1_000));
    const path = `/v1/spaces/${of.spaceId}/events`;
    const now = new Date().toISOString();
    const missed = await stream(path, of, now);
    expect(await missed.see('it begins', () => true)).toMatchObject({ event: 'reset' });
    await service.database.pool.query("update sources set updated_at = now() - interval '1 hour' where id = $1", [id]);
    const { events } = await stream(path, of, now);
    await until('all of them', async () => events.length === 1_000);
  });

  test('a stopping service ends its streams and long polls within 10 s', async () => {
    const of = await service.newUser();
    const { id } = await of.content('Words.');
    const { url, stop } = await service.startReplica();
    const ofReplica = { ...of, apiUrl: url };
    const streams = [await stream(`/v1/spaces/${of.spaceId}/events`, ofReplica)];
    await until('it is PENDING', async () => (await of.get(id)).status === 'PENDING');
    const wait = send(`${url}/v1/sources/${id}?waitSeconds=30`, 'GET', { key: of.key });
    const still = await Promise.race([wait, new Promise((resolve) => setTimeout(resolve, 200, 'open'))]);
    expect(still).toBe('open');
    const start = Date.now();
    await stop();
    expect((await wait).status).toBe(200);
    await Promise.all(streams.map(({ ended }) => ended));
    expect(Date.now() - start).toBeLessThan(10_000);
  });
});
