/** GET /v1/sources/{id}?waitSeconds&since: a change is awaited, and costs one request. */
import { newUser, script, send, sitePath, type TestUser } from '../../support/client.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { until } from '../../support/until.ts';

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

/** A source that stays in mid-fetch until it is canceled. */
async function runningSource(of: TestUser = user) {
  const data = await script(sitePath('page'), [{ hang: true }]);
  const { id } = await of.create({ type: 'URI', initial_data: { data } });
  return until('it is fetched', async () => {
    const source = await of.get(id);
    return source.progress?.stage === 'fetch' && source;
  });
}

const path = (id: string, query: string) => `/v1/sources/${id}?${query}`;

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const start = Date.now();
  return { answer: await work, ms: Date.now() - start };
}

test('a finished source and another revision are answered at once', async () => {
  const { id } = await user.content('Words.');
  const { revision } = await user.reach(id, 'COMPLETED');
  for (const query of ['waitSeconds=30', `waitSeconds=30&since=${revision}`, `waitSeconds=30&since=${revision - 1}`]) {
    const { answer, ms } = await timed(user.call('GET', path(id, query)));
    expect([answer.status, answer.body.data.revision]).toEqual([200, revision]);
    expect(ms).toBeLessThan(5_000);
  }
  const running = await runningSource();
  const { answer, ms } = await timed(
    user.call('GET', path(running.id, `waitSeconds=30&since=${running.revision - 1}`)),
  );
  expect([answer.body.data.revision, ms < 5_000]).toEqual([running.revision, true]);
  await user.call('POST', `/v1/sources/${running.id}/cancel`);
});

test('a change ends the wait, over both protocols, with and without since', async () => {
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
  const { answer, ms } = await timed(Promise.all(waits));
  expect(answer.map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
  // By a notification, and not by the look every few seconds.
  expect(ms).toBeLessThan(2_000);
});

test('without a change the wait ends in time, with the present state', async () => {
  const { id, revision } = await runningSource();
  const { answer, ms } = await timed(user.call('GET', path(id, `waitSeconds=1&since=${revision}`)));
  expect([answer.status, answer.body.data.revision]).toEqual([200, revision]);
  expect(ms).toBeGreaterThanOrEqual(990);
  await user.call('POST', `/v1/sources/${id}/cancel`);
});

test('deletion of the source or of its space ends the wait with 404', async () => {
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
])('%s is refused by name', async (query, field) => {
  const { status, body } = await user.call('GET', path('x', query));
  expect([status, body.details[0].field]).toEqual([400, field]);
});

describe('with the owner’s own numbers', () => {
  let service: PrivateService;
  beforeAll(async () => {
    service = await startPrivateService({ settings: { RATE_LIMIT_FREE: '1000', RATE_LIMIT_PRO: '' } });
  });
  afterAll(() => service.stop());

  /** Nothing works here, so a source stays as it is. */
  async function waiting(plan: 'free' | 'pro') {
    const owner = await service.newUser({ plan });
    const source = await owner.content('Words.');
    const { revision } = await until('it is PENDING', async () => {
      const seen = await owner.get(source.id);
      return seen.status === 'PENDING' && seen;
    });
    const key = async (body: object) => (await owner.call('POST', '/v1/api-keys', { name: 'K', ...body })).body.data;
    return { owner, revision, path: path(source.id, `waitSeconds=30&since=${revision}`), key };
  }

  test('a wait costs one request', async () => {
    const { owner, path } = await waiting('pro');
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

  test('ten may be open on Free; one more is 429 until one ends or its client goes', async () => {
    const { owner, path } = await waiting('free');
    const clients = Array.from({ length: 10 }, () => new AbortController());
    const headers = { authorization: `Bearer ${owner.key}` };
    /** Takes a place as soon as there is one, and keeps it. */
    async function hold({ signal }: AbortController): Promise<void> {
      let status = 429;
      while (status === 429) {
        const answer = await fetch(`${owner.apiUrl}${path}`, { headers, signal }).catch(() => null);
        status = answer?.status ?? 0;
      }
    }
    const waits = clients.map(hold);
    const one = () => send(`${owner.apiUrl}${path.replace('=30', '=1')}`, 'GET', { key: owner.key });
    const refused = await until('the places are taken', async () => {
      const answer = await one();
      return answer.status === 429 && answer;
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    // What does not wait needs no place.
    expect((await owner.call('GET', path.replace('=30', '=0'))).status).toBe(200);
    clients[0]?.abort();
    await until('a place is free', async () => (await one()).status === 200);
    for (const client of clients) client.abort();
    await Promise.all(waits);
  });

  test('a wait ends with its key: deleted, expired, or of a user who is disabled', async () => {
    const { owner, path, key } = await waiting('pro');
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

  test('a connection for notifications that breaks is made anew, and nothing is missed', async () => {
    const { owner, path, revision } = await waiting('pro');
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
    const { answer, ms } = await timed(wait);
    expect(answer.body.data.revision).toBe(revision + 1);
    expect(ms).toBeLessThan(15_000);
  });
});
