/** The real servers, in temporary folders. The binaries come from PATH, the cache or a build, as in `npm start`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import nodemailer from 'nodemailer';
import pg from 'pg';
import { findBinary } from '../../../apps/dev/binaries/binary.ts';
import { freePort, isListening } from '../../../apps/dev/servers/ports.ts';
import { type RunningServers, type StartServersOptions, startServers } from '../../../apps/dev/servers/servers.ts';
import { afterTest, processesNaming, temporaryFolder, until } from '../temporary.ts';

const report = (line: string) => process.stderr.write(`${line}\n`);

/** Binaries that are missing are built first. */
beforeAll(async () => {
  await Promise.all([findBinary('temporal', { report }), findBinary('versitygw', { report })]);
}, 15 * 60_000);

async function started(dataFolder: string, options: Partial<StartServersOptions> = {}): Promise<RunningServers> {
  const servers = await startServers({
    dataFolder,
    durable: false,
    temporalUi: false,
    report,
    ...options,
  });
  afterTest(() => servers.stop());
  return servers;
}

/** Ports of all addresses in the settings. */
function portsOf(settings: Record<string, string>): number[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const port = /^\w+_(URL|ADDRESS|ENDPOINT)$/.test(name) ? /:(\d+)(\/|$)/.exec(value)?.[1] : undefined;
    return port === undefined ? [] : [Number(port)];
  });
}

function setting(settings: Record<string, string>, name: string): string {
  const value = settings[name];
  if (value === undefined) throw new Error(`The settings have no ${name}.`);
  return value;
}

async function query(settings: Record<string, string>, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: setting(settings, 'DATABASE_URL') });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function withTemporal<T>(settings: Record<string, string>, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: setting(settings, 'TEMPORAL_ADDRESS') });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

function s3(settings: Record<string, string>): S3Client {
  const client = new S3Client({
    endpoint: setting(settings, 'S3_ENDPOINT'),
    region: setting(settings, 'S3_REGION'),
    credentials: {
      accessKeyId: setting(settings, 'S3_ACCESS_KEY_ID'),
      secretAccessKey: setting(settings, 'S3_SECRET_ACCESS_KEY'),
    },
    forcePathStyle: true,
  });
  afterTest(async () => client.destroy());
  return client;
}

const ownerId = defineSearchAttributeKey('OwnerId', 'KEYWORD');
const generation = defineSearchAttributeKey('Generation', 'INT');

test('all servers respond, keep their data over a stop, start again within 10 s, and leave no process', async () => {
  const dataFolder = await temporaryFolder();
  const first = await started(dataFolder, { durable: true, temporalUi: true });

  await query(first.settings, 'create table kept as select 42 as answer');
  await withTemporal(first.settings, (client) =>
    client.workflow.start('source', {
      workflowId: 'source-1',
      taskQueue: 'unused',
      typedSearchAttributes: [
        { key: ownerId, value: 'owner' },
        { key: generation, value: 1 },
      ],
    }),
  );
  const objects = s3(first.settings);
  await objects.send(new CreateBucketCommand({ Bucket: 'context-workspace' }));
  await objects.send(
    new PutObjectCommand({ Bucket: 'context-workspace', Key: 'a/b c', Body: 'kept', Metadata: { by: 'me' } }),
  );
  await nodemailer
    .createTransport(setting(first.settings, 'SMTP_URL'))
    .sendMail({ from: 'a@example.com', to: 'b@example.com', subject: 'kept', text: 'kept' });
  expect((await fetch(setting(first.settings, 'TEMPORAL_UI_URL'))).status).toBe(200);

  await first.stop();
  expect(await processesNaming(dataFolder)).toEqual([]);
  expect(portsOf(first.settings)).toHaveLength(5);
  for (const port of portsOf(first.settings)) expect(await isListening(port)).toBe(false);

  const begun = Date.now();
  const second = await started(dataFolder, { durable: true });
  expect(Date.now() - begun).toBeLessThan(10_000);
  expect(await query(second.settings, 'select answer from kept')).toEqual([{ answer: 42 }]);
  const description = await withTemporal(second.settings, (client) => client.workflow.getHandle('source-1').describe());
  expect(description.typedSearchAttributes.get(ownerId)).toBe('owner');
  const object = await s3(second.settings).send(new GetObjectCommand({ Bucket: 'context-workspace', Key: 'a/b c' }));
  expect([await object.Body?.transformToString(), object.Metadata]).toEqual(['kept', { by: 'me' }]);
  expect(await readdir(join(dataFolder, 'mail'))).toHaveLength(1);
});

test('PostgreSQL listens only on 127.0.0.1, allows 300 connections, and is durable only with `durable`', async () => {
  const dataFolder = await temporaryFolder();
  const show = `select name, setting from pg_settings where name in
    ('listen_addresses', 'unix_socket_directories', 'max_connections', 'fsync', 'synchronous_commit', 'full_page_writes')
    order by name`;
  const notDurable = await started(dataFolder);
  const common = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '300' };
  const settingsOf = async ({ settings }: RunningServers) =>
    Object.fromEntries((await query(settings, show)).map((row) => Object.values(row ?? {})));
  expect(await settingsOf(notDurable)).toEqual({
    ...common,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  });
  await notDurable.stop();
  expect(await settingsOf(await started(dataFolder, { durable: true }))).toEqual({
    ...common,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
  });
});

test('secrets are random, of file mode 0600, and required', async () => {
  const dataFolder = await temporaryFolder();
  const { settings } = await started(dataFolder);
  for (const file of ['postgres/password', 'storage/keys.json']) {
    expect((await stat(join(dataFolder, file))).mode & 0o777).toBe(0o600);
  }
  const url = setting(settings, 'DATABASE_URL').replace(/:[^:@/]+@/, ':wrong@');
  await expect(query({ DATABASE_URL: url }, 'select 1')).rejects.toThrow('password authentication failed');
  const wrong = s3({ ...settings, S3_SECRET_ACCESS_KEY: 'wrong' });
  await expect(wrong.send(new HeadBucketCommand({ Bucket: 'context-workspace' }))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 403 },
  });
});

test('servers start below a folder of mode 0700', async () => {
  const closed = await temporaryFolder();
  await chmod(closed, 0o700);
  const { settings } = await started(join(closed, 'project', '.data'));
  expect(await query(settings, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect((await stat(closed)).mode & 0o777).toBe(0o700);
});

test('when the starting process is killed, the servers end, and the next start has their data', async () => {
  const dataFolder = await temporaryFolder();
  const starter = spawn(process.execPath, [join(import.meta.dirname, '../start-and-hold.ts'), 'servers', dataFolder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterTest(async () => {
    starter.kill('SIGKILL');
    await until('the servers are gone', async () => (await processesNaming(dataFolder)).length === 0);
  });
  let output = '';
  starter.stdout.on('data', (data) => {
    output += String(data);
  });
  await until('the servers are started', async () => output.endsWith('}\n'));
  const settings: Record<string, string> = JSON.parse(output.slice('started '.length));
  await query(settings, 'create table kept as select 42 as answer');

  const killed = once(starter, 'exit');
  starter.kill('SIGKILL');
  await killed;
  // No wait here: the next start itself waits for the servers to end.
  const again = await started(dataFolder, { durable: true });
  expect(await query(again.settings, 'select answer from kept')).toEqual([{ answer: 42 }]);
  for (const port of portsOf(settings)) expect(await isListening(port)).toBe(false);
  await again.stop();
  // A watcher of the killed start sees that its server is gone once init has collected it.
  await until('no process is left', async () => (await processesNaming(dataFolder)).length === 0);
});

test('a lock file of PostgreSQL whose process id belongs to another program does not prevent a start', async () => {
  const dataFolder = await temporaryFolder();
  const first = await started(dataFolder);
  const lock = join(dataFolder, 'postgres', 'data', 'postmaster.pid');
  const text = await readFile(lock, 'utf8');
  await first.stop();
  await writeFile(lock, text.replace(/^\d+/, String(process.pid)), { mode: 0o600 });
  const second = await started(dataFolder);
  expect(await query(second.settings, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a fixed port in use is an error with its setting, and no process is left', async () => {
  const dataFolder = await temporaryFolder();
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(port, '127.0.0.1', resolve);
  });
  afterTest(async () => {
    other.close();
  });
  await expect(started(dataFolder, { ports: { temporal: port } })).rejects.toThrow(
    `Port ${port} of TEMPORAL_PORT is in use. Stop that server, or set TEMPORAL_PORT to another port, or set TEMPORAL_ADDRESS`,
  );
  expect(await processesNaming(dataFolder)).toEqual([]);
});

const elsewhere = {
  DATABASE_URL: 'postgresql://elsewhere/db',
  TEMPORAL_ADDRESS: 'elsewhere:7233',
  S3_ENDPOINT: 'http://elsewhere:9000',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  SMTP_URL: 'smtp://elsewhere:25',
};

test('servers with given addresses are not started, and the settings have those addresses', async () => {
  const dataFolder = await temporaryFolder();
  const { settings } = await started(dataFolder, { given: elsewhere });
  expect(settings).toEqual({ ...elsewhere, S3_REGION: 'us-east-1', SECRETS_KEY: expect.any(String) });
  expect(await processesNaming(dataFolder)).toEqual([]);
});

test('fixed ports are used', async () => {
  const port = await freePort();
  const { SMTP_URL: _, ...given } = elsewhere;
  const { settings } = await started(await temporaryFolder(), { given, ports: { mail: port } });
  expect(settings.SMTP_URL).toBe(`smtp://127.0.0.1:${port}`);
});

test('a given S3_ENDPOINT requires its keys', async () => {
  const options = { given: { S3_ENDPOINT: 'http://elsewhere:9000' } };
  await expect(started(await temporaryFolder(), options)).rejects.toThrow(
    'set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
  );
});

test('when one server cannot start, the others are stopped before the error is thrown', async () => {
  const dataFolder = await temporaryFolder();
  await mkdir(join(dataFolder, 'postgres', 'data'), { recursive: true });
  await writeFile(join(dataFolder, 'postgres', 'password'), 'kept', { mode: 0o600 });
  await expect(started(dataFolder)).rejects.toThrow(/^postgres ended with exit code \d.*The end of .*postgres\.log/s);
  expect(await processesNaming(dataFolder)).toEqual([]);
});
