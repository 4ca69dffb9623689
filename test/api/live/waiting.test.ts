/** Long polls, GET /v1/sources/{id}?waitSeconds&since: they end with a change and cost one request. */
import { newUser, script, send, sitePath, type TestUser } from '../../support/client.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { until } from '../../support/until.ts';

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

/** Creates a source whose fetch does not end until it is canceled. */
async function runningSource(of: TestUser = user) {
  const data = await script(sitePath('page'), [{ hang: true }]);
  const { id } = await of.create({ type: 'URI', initial_data: { data } });
  return until('it is fetched', async () => {
    const source = await of.get(id);
    return source.progress?.stage === 'fetch' && source;
  });
}

const path = (id: string, query: string) => `/v1/sources/${id}?${query}`;

async function timed<T>(work: Promise<T>): Promise<{ response: T; ms: number }> {
  const start = Date.now();
  return { response: await work, ms: Date.now() - start };
}

test('a long poll of a finished source or with an older revision returns immediately (within 5 s)', async () => {
  const { id } = await user.content('Words.');
  const { revision } = await user.reach(id, 'COMPLETED');
  for (const query of ['waitSeconds=30', `waitSeconds=30&since=${revision}`, `waitSeconds=30&since=${revision - 1}`]) {
    const { response, ms } = await timed(user.call('GET', path(id, query)));
    expect([response.status, response.body.data.revision]).toEqual([200, revision]);
    expect(ms).toBeLessThan(5_000);
  }
  const running = await runningSource();
  const { response, ms } = await timed(
    user.call('GET', path(running.id, `waitSeconds=30&since=${running.revision - 1}`)),
  );
  expect([response.body.data.revision, ms < 5_000]).toEqual([running.revision, true]);
  await user.call('POST', `/v1/sources/${running.id}/cancel`);
});

test('a change ends a long poll within 2 s, in REST and tRPC, with and without since', async () => {
  const { id, revision } = await runningSource();
  const input = encodeURIComponent(JSON.stringify({ sourceId: id, waitSeconds: 30, since: revision }));
  const waits = [
    user.call('GET', path(id, `waitSeconds=30&since=${revision}`)).then(({ body }) => body.data),
    user.call('GET', path(id, 'waitSeconds=30')).then(({ body }) => body.data),
    user.call('GET', `/trpc/sources.get?input=${input}`).then(({ body }) => body.result.data),
  ];
  const first = await Promise.race([...waits, new Promise((resolve) => setTimeout(resolve, 300, 'nothing'))]);
  expect(first).toBe('nothing');
  await user.call('POST', `/v1/sources/${id}/cancel`);
  const { response, ms } = await timed(Promise.all(waits));
  expect(response.map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
  // By a notification, and not by the check every few seconds.
  expect(ms).toBeLessThan(2_000);
});

test('without a change a long poll ends after waitSeconds with the current state', async () => {
  const { id, revision } = await runningSource();
  const { response, ms } = await timed(user.call('GET', path(id, `waitSeconds=1&since=${revision}`)));
  expect([response.status, response.body.data.revision]).toEqual([200, revision]);
  expect(ms).toBeGreaterThanOrEqual(990);
  await user.call('POST', `/v1/sources/${id}/cancel`);
});

test('deletion of the source or of its space ends a long poll with 404', async () => {
  const other = await newUser();
  const [first, second] = [await runningSource(other), await runningSource(other)];
  const wait = (id: string) => other.call('GET', path(id, 'waitSeconds=30'));
  const waits = [wait(first.id), wait(second.id)];
  await other.call('DELETE', `/v1/sources/${first.id}`);
  expect((await waits[0])?.status).toBe(404);
  await other.call('DELETE', `/v1/spaces/${other.spaceId}`);
  expect((await waits[1])?.status).toBe(404);
});

test.each([
  ['waitSeconds=31', 'waitSeconds'],
  ['waitSeconds=-1', 'waitSeconds'],
  ['waitSeconds=1.5', 'waitSeconds'],
  ['waitSeconds=x', 'waitSeconds'],
  ['waitSeconds=1&since=x', 'since'],
  ['waitSeconds=1&since=-1', 'since'],
])('%s is 400 and names the parameter', async (query, field) => {
  const { status, body } = await user.call('GET', path('x', query));
  expect([status, body.details[0].field]).toEqual([400, field]);
});

describe('on a private service', () => {
  let service: PrivateService;
  beforeAll(async () => {
    service = await startPrivateService({ settings: { RATE_LIMIT_FREE: '1000', RATE_LIMIT_PRO: '' } });
  });
  afterAll(() => service.stop());

  /** Creates a source that stays PENDING, since no worker runs. */
  async function pendingSource(plan: 'free' | 'pro') {
    const owner = await service.newUser({ plan });
    const source = await owner.content('Words.');
    const { revision } = await until('it is PENDING', async () => {
      const seen = await owner.get(source.id);
      return seen.status === 'PENDING' && seen;
    });
    const key = async (body: object) => (await owner.call('POST', '/v1/api-keys', { name: 'K', ...body })).body.data;
    return { owner, revision, path: path(source.id, `waitSeconds=30&since=${revision}`), key };
  }

  test('a long poll costs one request', async () => {
    const { owner, path } = await pendingSource('pro');
    const before = Number((await owner.call('GET', '/v1/spaces')).headers.get('ratelimit-remaining'));
    const wait = owner.call('GET', path);
    await until('it is counted', async () => {
      const { rows } = await service.database.pool.query('select points from rate_limits where key = $1', [
        `owner:${owner.userId}`,
      ]);
      return rows[0].points === 100 - before + 1;
    });
    await service.database.pool.query('update sources set revision = revision + 1 where owner_id = $1', [owner.userId]);
    expect(Number((await wait).headers.get('ratelimit-remaining'))).toBe(before - 1);
    expect(Number((await owner.call('GET', '/v1/spaces')).headers.get('ratelimit-remaining'))).toBe(before - 2);
  });

  test('plan free allows 10 open long polls; one more is 429 until a client disconnects', async () => {
    const { owner, path } = await pendingSource('free');
    const clients = Array.from({ length: 10 }, () => new AbortController());
    const headers = { authorization: `Bearer ${owner.key}` };
    /** Repeats the request until it is accepted, and keeps it open. */
    async function keepOpen({ signal }: AbortController): Promise<void> {
      let status = 429;
      while (status === 429) {
        const response = await fetch(`${owner.apiUrl}${path}`, { headers, signal }).catch(() => null);
        status = response?.status ?? 0;
      }
    }
    const waits = clients.map(keepOpen);
    const one = () => send(`${owner.apiUrl}${path.replace('=30', '=1')}`, 'GET', { key: owner.key });
    const rejected = await until('10 long polls are open', async () => {
      const response = await one();
      return response.status === 429 && response;
    });
    expect(rejected.headers.get('retry-after')).toBe('5');
    // A request with waitSeconds=0 does not count.
    expect((await owner.call('GET', path.replace('=30', '=0'))).status).toBe(200);
    clients[0]?.abort();
    await until('another long poll is accepted', async () => (await one()).status === 200);
    for (const client of clients) client.abort();
    await Promise.all(waits);
  });

  test('a long poll is 401 once its key is deleted or expired, or its user is disabled', async () => {
    const { owner, path, key } = await pendingSource('pro');
    const deleted = await key({});
    const expired = await key({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
    const waits = [deleted.key, expired.key, owner.key].map((each) =>
      send(`${owner.apiUrl}${path}`, 'GET', { key: each }),
    );
    const still = await Promise.race([...waits, new Promise((resolve) => setTimeout(resolve, 300, 'open'))]);
    expect(still).toBe('open');
    await owner.call('DELETE', `/v1/api-keys/${deleted.id}`);
    expect((await waits[0])?.status).toBe(401);
    expect((await waits[1])?.status).toBe(401);
    await service.database.pool.query('update users set disabled_at = now() where id = $1', [owner.userId]);
    expect((await waits[2])?.status).toBe(401);
  });

  test('after a cut of the connection for notifications a change ends a long poll within 15 s', async () => {
    const { owner, path, revision } = await pendingSource('pro');
    const wait = owner.call('GET', path);
    const cut = async () => {
      const { rows } = await service.database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'context-workspace-listen'`,
      );
      return rows.length > 0;
    };
    await until('the connection is cut', cut);
    await service.database.pool.query('update sources set revision = revision + 1 where owner_id = $1', [owner.userId]);
    const { response, ms } = await timed(wait);
    expect(response.body.data.revision).toBe(revision + 1);
    expect(ms).toBeLessThan(15_000);
  });
});
