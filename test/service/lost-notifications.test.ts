/** Delivery of cancels to a worker while its connection to Temporal or PostgreSQL is cut. */
import { received, release, script, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 2_000;
/** A heartbeat every 12 s, and time for its response. */
const BY_HEARTBEAT_MS = 20_000;
/** The connection is made again within a second or two. */
const RECONNECTED_MS = 5_000;

let proxies: { database: TcpProxy; temporal: TcpProxy };
let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService();
  const database = new URL(service.settings.DATABASE_URL ?? '');
  const [host = '', port = ''] = (service.settings.TEMPORAL_ADDRESS ?? '').split(':');
  proxies = {
    database: await startTcpProxy(Number(database.port), { host: database.hostname }),
    temporal: await startTcpProxy(Number(port), { host }),
  };
  database.host = proxies.database.address;
  await service.startWorker({ DATABASE_URL: database.href, TEMPORAL_ADDRESS: proxies.temporal.address });
  user = await service.newUser();
}, 60_000);
afterEach(async () => {
  await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.restore()));
});
afterAll(async () => {
  await service?.stop();
  await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()));
});

async function hangingPage() {
  const path = sitePath('hanging');
  const { id } = await user.create({ type: 'URI', initial_data: { data: await script(path, [{ hang: true }]) } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  return { id, isAborted: async () => (await received(path))[0]?.aborted };
}

/** Milliseconds until the fetch is aborted. */
async function timeToAbort({ isAborted }: Awaited<ReturnType<typeof hangingPage>>): Promise<number> {
  const begun = performance.now();
  await until('the fetch is aborted', isAborted, 60_000);
  return performance.now() - begun;
}
const cancel = async (id: string) => expect((await user.call('POST', `/v1/sources/${id}/cancel`)).status).toBe(200);

test('a cancel aborts a fetch within 2 s while the worker cannot reach Temporal', async () => {
  const page = await hangingPage();
  await proxies.temporal.cut();
  await cancel(page.id);
  expect(await timeToAbort(page)).toBeLessThan(WITHIN_MS);
  expect((await user.get(page.id)).status).toBe('CANCELED');
});

test('a cancel while the worker cannot reach the database aborts a fetch within 5 s of the reconnection', async () => {
  const page = await hangingPage();
  await proxies.temporal.cut();
  await proxies.database.cut();
  await cancel(page.id);
  await proxies.database.restore();
  expect(await timeToAbort(page)).toBeLessThan(RECONNECTED_MS);
});

test('a cancel without a notification aborts a fetch with the next heartbeat, within 20 s', async () => {
  const { rows } = await service.database.pool.query(
    "select pg_get_functiondef('notify_source_change'::regproc) as definition",
  );
  const page = await hangingPage();
  await service.database.pool.query(
    'create or replace function notify_source_change() returns trigger language plpgsql as $$ begin return null; end $$',
  );
  try {
    await cancel(page.id);
    expect(await timeToAbort(page)).toBeLessThan(BY_HEARTBEAT_MS);
  } finally {
    await service.database.pool.query(rows[0].definition);
  }
}, 120_000);

test('changes of a source that is not canceled do not abort its fetch', async () => {
  const page = sitePath('page');
  const data = await script(page, [{ held: true, body: '<p>The words of the page.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data } });
  await until('the page is requested', async () => (await received(page)).length === 1);
  for (const name of ['One', 'Two']) await user.call('PATCH', `/v1/sources/${id}`, { name });
  const canceled = await hangingPage();
  await cancel(canceled.id);
  // By then the worker has received the notifications of both.
  expect(await timeToAbort(canceled)).toBeLessThan(WITHIN_MS);
  expect(await received(page)).toMatchObject([{ aborted: false }]);
  await release(page);
  expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 1, name: 'Two' });
  expect(await received(page)).toHaveLength(1);
});
