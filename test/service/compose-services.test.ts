/**
 * Our services of docker-compose.yml, each started with the command and the environment that the file gives it. Only what
 * belongs to the test's machine is put in their place: addresses and ports, and the bucket and the task queue, which other
 * tests must not share.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { freePort } from '../../apps/dev/ports.ts';
import { newUser, upload } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const root = new URL('../../', import.meta.url);
const serviceSchema = z.object({
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
});
const { services } = z
  .object({ services: z.record(z.string(), z.unknown()) })
  .parse(parse(readFileSync(new URL('docker-compose.yml', root), 'utf8'), { merge: true }));

/** `${NAME}`, `${NAME:-default}`, `${NAME:?message}`, innermost first. */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  const replaced = text.replaceAll(/\$\{(\w+)(?::([-?])([^${}]*))?\}/g, (_, name: string, kind, rest) => {
    const value = values[name];
    if (value !== undefined && value !== '') return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest ?? '';
  });
  return replaced === text ? text : interpolate(replaced, values);
}

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

/** What a person has in `.env`. */
function dotEnv(): Record<string, string> {
  const { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '', S3_ENDPOINT = '' } = service.settings;
  return {
    ...{ DATABASE_PASSWORD: 'a-password', POSTGRES_PASSWORD: 'another', TEMPORAL_DATABASE_PASSWORD: 'a-third' },
    ...{ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, SECRETS_KEY: service.settings.SECRETS_KEY ?? '' },
    // As clients see the storage, while the services see it by its address within.
    S3_PUBLIC_ENDPOINT: S3_ENDPOINT.replace('127.0.0.1', 'localhost'),
  };
}

async function startService(name: string, ports: Record<string, string>): Promise<ChildProcess> {
  const { command, environment } = serviceSchema.parse(services[name]);
  const values = dotEnv();
  const { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE, S3_ENDPOINT, S3_BUCKET } = service.settings;
  const env = Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, interpolate(text, values)]));
  expect(env).toMatchObject({
    DATABASE_URL: 'postgresql://context_workspace:a-password@postgres:5432/context_workspace',
    TEMPORAL_ADDRESS: 'temporal:7233',
    S3_ENDPOINT: 'http://storage:7070',
  });
  const here = { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE, S3_ENDPOINT, S3_BUCKET, ...ports };
  const [program = '', ...args] = command;
  expect(program).toBe('node');
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...env, ...here, PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
  return child;
}

const isHealthy = (port: string) => async () =>
  (await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok === true;

test('they start, and a file that was uploaded to the outer address of the storage is read by the inner one', async () => {
  const migrate = await startService('migrate', {});
  await once(migrate, 'exit');
  expect(migrate.exitCode).toBe(0);
  const [apiPort, dispatcherPort, workerPort] = [await freePort(), await freePort(), await freePort()].map(String);
  if (apiPort === undefined || dispatcherPort === undefined || workerPort === undefined) throw new Error('No ports.');
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  await startService('api', { API_PORT: apiPort, PUBLIC_URL: apiUrl });
  await startService('dispatcher', { METRICS_PORT: dispatcherPort });
  await startService('worker', { METRICS_PORT: workerPort });
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
