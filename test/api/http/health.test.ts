/** Health and errors of an API whose connections to the other servers are cut one after another. */
import { startApi } from '../../../apps/dev/service.ts';
import { newUser, send, type TestUser } from '../../support/client.ts';
import { stack } from '../../support/stack.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

let proxies: { database: TcpProxy; temporal: TcpProxy; storage: TcpProxy };
let api: Awaited<ReturnType<typeof startApi>>;
let user: TestUser;

beforeAll(async () => {
  const { settings, dataFolder } = stack();
  const database = new URL(settings.DATABASE_URL ?? '');
  const storage = new URL(settings.S3_ENDPOINT ?? '');
  const [temporalHost = '', temporalPort = ''] = (settings.TEMPORAL_ADDRESS ?? '').split(':');
  proxies = {
    database: await startTcpProxy(Number(database.port), { host: database.hostname }),
    temporal: await startTcpProxy(Number(temporalPort), { host: temporalHost }),
    storage: await startTcpProxy(Number(storage.port), { host: storage.hostname }),
  };
  database.host = proxies.database.address;
  api = await startApi({
    name: 'api-cut-off',
    dataFolder,
    settings: {
      ...settings,
      DATABASE_URL: database.href,
      S3_ENDPOINT: `http://${proxies.storage.address}`,
      TEMPORAL_ADDRESS: proxies.temporal.address,
      API_RUNS_DISPATCHER: 'false',
    },
    report: () => undefined,
  });
  user = await newUser({ apiUrl: api.url });
});
afterAll(async () => {
  await api?.stop();
  for (const proxy of Object.values(proxies)) await proxy.close();
});

const health = async () => {
  const { status, body } = await send(`${api.url}/health`, 'GET');
  return { http: status, ...body };
};
const ok = { http: 200, status: 'ok', checks: { database: 'ok', temporal: 'ok', storage: 'ok' } };
const becomesOk = () => until('health is ok', async () => (await health()).status === 'ok');

test('with all servers reachable health is 200 and ok', async () => {
  expect(await health()).toEqual(ok);
});

test('without Temporal health is degraded, and sources are accepted', async () => {
  await proxies.temporal.cut();
  expect(await health()).toEqual({ ...ok, status: 'degraded', checks: { ...ok.checks, temporal: 'down' } });
  expect((await user.content('kept')).generation).toBe(1);
  await proxies.temporal.restore();
  await becomesOk();
});

test('without storage health is degraded, text sources are accepted, and FILE sources are 503', async () => {
  const grant = (await user.call('POST', '/v1/upload/s3', { filename: 'a', contentType: 'a/b', size: 1 })).body;
  await proxies.storage.cut();
  expect(await health()).toEqual({ ...ok, status: 'degraded', checks: { ...ok.checks, storage: 'down' } });
  expect((await user.content('kept')).generation).toBe(1);
  const body = { type: 'FILE', initial_data: { data: grant.fileKey }, instructions: {} };
  const response = await user.call('POST', `/v1/spaces/${user.spaceId}/sources`, body);
  const { status, body: error, headers } = response;
  expect({ status, message: error.message, retry: headers.get('retry-after') }).toEqual({
    status: 503,
    message: 'The storage is unavailable. Try again in a moment.',
    retry: '5',
  });
  await proxies.storage.restore();
  await becomesOk();
});

test('without the database health is down, and REST and tRPC are 503 without internal details', async () => {
  await proxies.database.cut();
  expect(await health()).toEqual({ ...ok, http: 503, status: 'down', checks: { ...ok.checks, database: 'down' } });
  const message = 'The database is unavailable. Try again in a moment.';
  for (const path of [
    '/v1/spaces',
    '/trpc/spaces.list',
    '/trpc/spaces.list,spaces.list?batch=1',
    '/files/uploads/a/b',
  ]) {
    const { status, headers, body } = await user.call('GET', path);
    const error = body.error?.data?.error ?? body;
    expect({ path, status, error }).toEqual({
      path,
      status: 503,
      error: { error: 'Service Unavailable', message, code: 503, requestId: headers.get('x-request-id') },
    });
    expect(headers.get('retry-after')).toBe('5');
  }
  await proxies.database.restore();
  await becomesOk();
  expect((await user.call('GET', '/v1/spaces')).status).toBe(200);
});
