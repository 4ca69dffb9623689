/** Rate limits with their default numbers, which the shared stack of the suite raises. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../../platform/api-key.ts';
import { send, type TestUser } from '../../support/client.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

let service: PrivateService;
let replicaUrl: string;
let proxiedUrl: string;

beforeAll(async () => {
  // Empty settings count as unset: the defaults apply.
  service = await startPrivateService({ settings: { RATE_LIMIT_FREE: '', RATE_LIMIT_PRO: '' } });
  const [replica, proxied] = await Promise.all([
    service.startReplica(),
    service.startReplica({ TRUSTED_PROXIES: '127.0.0.0/8' }),
  ]);
  replicaUrl = replica.url;
  proxiedUrl = proxied.url;
});
afterAll(() => service.stop());

const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('ratelimit-remaining'));

/** Remaining budget, read from the database, so that it costs no request. */
async function remainingOf({ userId }: TestUser, budget = 10): Promise<number> {
  const { rows } = await service.database.pool.query('select points from rate_limits where key = $1', [
    `owner:${userId}`,
  ]);
  return budget - rows[0].points;
}

test('plan free allows 10 requests a minute; the eleventh is 429 with Retry-After and writes nothing', async () => {
  const user = await service.newUser({ plan: 'free' });
  // The first was the creation of the space.
  for (let left = 8; left >= 0; left--) {
    const { status, headers } = await user.call('GET', `/v1/spaces/${left === 0 ? 'missing' : user.spaceId}`);
    expect(status).toBe(left === 0 ? 404 : 200);
    expect(headers.get('ratelimit-limit')).toBe('10');
    expect(headers.get('ratelimit-remaining')).toBe(String(left));
    const reset = Number(headers.get('ratelimit-reset'));
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(60);
  }
  const rejected = await user.call('POST', '/v1/spaces', { name: 'Refused' });
  expect(rejected.status).toBe(429);
  expect(rejected.body).toMatchObject({ error: 'Too Many Requests', code: 429 });
  expect(rejected.headers.get('ratelimit-remaining')).toBe('0');
  expect(rejected.headers.get('retry-after')).toBe(rejected.headers.get('ratelimit-reset'));
  const { rows } = await service.database.pool.query('select name from spaces where owner_id = $1', [user.userId]);
  expect(rows).toEqual([{ name: 'Space' }]);
  expect((await send(`${user.apiUrl}/metrics`, 'GET')).body).toMatch(/requests_refused_total\{kind="budget"\} [1-9]/);
});

test('the window of a rate limit is one minute from its first request', async () => {
  const user = await service.newUser({ plan: 'free' });
  const expiry = async () => {
    const { rows } = await service.database.pool.query('select expire from rate_limits where key = $1', [
      `owner:${user.userId}`,
    ]);
    return Number(rows[0].expire);
  };
  const end = await expiry();
  expect(Math.abs(end - Date.now() - 60_000)).toBeLessThan(10_000);
  await user.call('GET', '/v1/spaces');
  expect(await expiry()).toBe(end);
  // A minute later.
  await service.database.pool.query('update rate_limits set expire = expire - 60001, points = 99 where key = $1', [
    `owner:${user.userId}`,
  ]);
  expect(remaining(await user.call('GET', '/v1/spaces'))).toBe(9);
});

test('plan pro allows 100 requests a minute', async () => {
  const user = await service.newUser({ plan: 'pro' });
  const { headers } = await user.call('GET', '/v1/spaces');
  expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['100', '98']);
});

test('keys, replicas, path prefixes and protocols share one budget, exact to the request', async () => {
  const user = await service.newUser({ plan: 'free' });
  const other = await user.call('POST', '/v1/api-keys', { name: 'Other' });
  const keys = [user.key, other.body.data.key];
  const urls = [user.apiUrl, replicaUrl];
  const paths = ['/v1/spaces', '/api/v1/spaces', '/trpc/spaces.list'];
  const responses = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      send(`${urls[index % 2]}${paths[index % 3]}`, 'GET', { key: keys[Math.floor(index / 2) % 2] ?? '' }),
    ),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(8);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(16);
  const allowed = responses.filter(({ status }) => status === 200).map(remaining);
  expect(allowed.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('a tRPC batch costs one request per call; beyond the budget it is 429 as a whole', async () => {
  const user = await service.newUser({ plan: 'free' });
  const three = '/trpc/spaces.list,spaces.list,spaces.list?batch=1&input={}';
  expect(remaining(await user.call('GET', three))).toBe(6);
  expect(remaining(await user.call('GET', three.replaceAll(',', '%2C')))).toBe(3);
  // A comma that appears only after decoding the path twice separates no calls.
  const twice = await user.call('GET', three.replaceAll(',', '%252C'));
  expect([twice.status, remaining(twice)]).toEqual([404, 2]);
  const rejected = await user.call('GET', three);
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(rejected.body.error.data).toMatchObject({ httpStatus: 429, error: { code: 429 } });
});

test('errors, unknown paths and wrong methods cost a request; public paths cost none', async () => {
  const user = await service.newUser({ plan: 'free' });
  const statuses: number[] = [];
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['PATCH', '/v1/spaces'],
    ['POST', '/v1/spaces'],
    ['GET', '/trpc/nothing'],
  ] as const) {
    const response = await user.call(method, path);
    statuses.push(response.status, remaining(response));
  }
  expect(statuses).toEqual([404, 8, 405, 7, 400, 6, 404, 5]);
  for (const path of ['/health', '/metrics', '/files/x', '/nothing']) {
    expect((await user.call('GET', path)).headers.has('ratelimit-limit')).toBe(false);
  }
  expect(await remainingOf(user)).toBe(5);
});

test('60 wrong keys a minute are 401 per client address, the next is 429; a valid key is never limited', async () => {
  const user = await service.newUser({ plan: 'pro' });
  const guess = (index: number, url = proxiedUrl, address = '203.0.113.7') =>
    send(`${url}/v1/spaces`, 'GET', {
      // One of three is malformed, the others are well-formed and unknown.
      headers: {
        authorization: index % 3 === 0 ? 'Bearer x' : `Bearer ${createKey().key}`,
        'x-forwarded-for': address,
      },
    });
  const responses = await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)));
  expect(responses.every(({ status, headers }) => status === 401 && !headers.has('ratelimit-limit'))).toBe(true);
  const rejected = await guess(1);
  expect(rejected.status).toBe(429);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  const right = { key: user.key, headers: { 'x-forwarded-for': '203.0.113.7' } };
  expect((await send(`${proxiedUrl}/v1/spaces`, 'GET', right)).status).toBe(200);
  // A request without a key does not count as a wrong key.
  expect((await send(`${proxiedUrl}/v1/spaces`, 'GET', { headers: right.headers })).status).toBe(401);
  expect((await guess(1, proxiedUrl, '203.0.113.8')).status).toBe(401);
  // X-Forwarded-For of a client that is not a trusted proxy is ignored.
  expect((await guess(1, replicaUrl)).status).toBe(401);
  const { rows } = await service.database.pool.query("select key from rate_limits where key like 'wrong-key:%'");
  expect(rows.map(({ key }) => key).sort()).toEqual([
    'wrong-key:127.0.0.1',
    'wrong-key:203.0.113.7',
    'wrong-key:203.0.113.8',
  ]);
});

test('while the table of counters is locked, the process counts in memory and logs each such request', async () => {
  const user = await service.newUser({ plan: 'free' });
  const log = join(stack().dataFolder, service.settings.TEMPORAL_TASK_QUEUE ?? '', 'logs', 'process-1.log');
  const logged = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"limits.counted_in_memory"') && line.includes('"owner"')).length;
  const client = await service.database.pool.connect();
  try {
    await client.query('begin; lock table rate_limits in access exclusive mode');
    expect(logged()).toBe(0);
    expect(remaining(await user.call('GET', '/v1/spaces'))).toBe(9);
    expect(remaining(await user.call('GET', '/v1/spaces'))).toBe(8);
    expect(logged()).toBe(2);
  } finally {
    await client.query('rollback');
    client.release();
  }
  await until('PostgreSQL counts again', async () => {
    await user.call('GET', '/v1/spaces');
    return (await remainingOf(user)) < 9;
  });
});
