/**
 * Our services of docker-compose.yml, each started with its command and environment. Only addresses, ports, bucket and
 * task queue are replaced, by those of the test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { newUser, upload } from '../support/client.ts';
import { type ComposeService, composeSecrets, loadCompose } from '../support/compose.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const root = new URL('../../', import.meta.url);
let service: PrivateService;
const children: ChildProcess[] = [];
beforeAll(async () => {
  service = await startPrivateService();
}, 60_000);
afterAll(async () => {
  for (const child of children.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await service?.stop();
}, 120_000);

/** Reads the file with the settings of a `.env`; the public endpoint of the storage differs from the internal one. */
async function composeServices() {
  const { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '', SECRETS_KEY = '', S3_ENDPOINT = '' } = service.settings;
  const S3_PUBLIC_ENDPOINT = S3_ENDPOINT.replace('127.0.0.1', 'localhost');
  const dotEnv = { ...composeSecrets, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, SECRETS_KEY, S3_PUBLIC_ENDPOINT };
  return (await loadCompose(dotEnv)).services;
}

function start(given: ComposeService | undefined, ports: Record<string, string>): ChildProcess {
  const { command, environment } = given ?? {};
  expect(environment).toMatchObject({ TEMPORAL_ADDRESS: 'temporal:7233', S3_ENDPOINT: 'http://storage:7070' });
  const { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE, S3_ENDPOINT, S3_BUCKET } = service.settings;
  const here = { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE, S3_ENDPOINT, S3_BUCKET, ...ports };
  const [program, ...args] = command ?? [];
  expect(program).toBe('node');
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...environment, ...here, PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
  return child;
}

const isHealthy = (port: string) => async () =>
  (await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok === true;

test('all become healthy, and a file uploaded to the public endpoint is read at the internal one', async () => {
  const services = await composeServices();
  const migrate = start(services.migrate, {});
  await once(migrate, 'exit');
  expect(migrate.exitCode).toBe(0);
  const [apiPort, dispatcherPort, workerPort] = [await freePort(), await freePort(), await freePort()].map(String);
  if (apiPort === undefined || dispatcherPort === undefined || workerPort === undefined) throw new Error('No ports.');
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  start(services.api, { API_PORT: apiPort, PUBLIC_URL: apiUrl });
  start(services.dispatcher, { METRICS_PORT: dispatcherPort });
  start(services.worker, { METRICS_PORT: workerPort });
  for (const port of [apiPort, dispatcherPort, workerPort]) await until(`${port} is healthy`, isHealthy(port), 60_000);

  const user = await newUser({ apiUrl, databaseUrl: service.settings.DATABASE_URL ?? '' });
  const grant = { filename: 'inner.txt', contentType: 'text/plain', size: 5 };
  const { uploadUrl } = (await user.call('POST', '/v1/upload/s3', grant)).body;
  expect(new URL(uploadUrl).hostname).toBe('localhost');
  const fileKey = await upload(
    user,
    'outer.txt',
    'text/plain',
    new TextEncoder().encode('By way of the outer address.'),
  );
  const { id } = await user.create({ type: 'FILE', initial_data: { data: fileKey } });
  await user.reach(id, 'COMPLETED', 60_000);
  expect(await user.markdown(id)).toContain('outer address');
}, 180_000);
