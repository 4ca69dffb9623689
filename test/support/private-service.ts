/** A service of a test's own, for what would disturb the others: its own database, task queue and processes. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client as TemporalClient } from '@temporalio/client';
import { Client } from 'pg';
import { findBinary } from '../../apps/dev/binary.ts';
import { freePort } from '../../apps/dev/ports.ts';
import { openMigrated, startApi, startDispatcherProcess, startWorker, withApiAddress } from '../../apps/dev/service.ts';
import { type RunningTemporal, startTemporal } from '../../apps/dev/temporal.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { newUser, type TestUser } from './client.ts';
import { stack } from './stack.ts';

interface Running {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export interface PrivateService {
  settings: Record<string, string>;
  database: Database;
  temporal: TemporalClient;
  apiUrl: string;
  newUser(options?: { plan?: 'free' | 'pro' }): Promise<TestUser>;
  /** Another API over the same database. */
  startReplica(settings?: Record<string, string>): Promise<Running>;
  /** Ends the API with SIGKILL and starts it again at the same address. */
  killAndRestartApi(): Promise<void>;
  startWorker(): Promise<Running>;
  startDispatcher(): Promise<Running>;
  /** Only with a Temporal of its own. */
  stopTemporal(): Promise<void>;
  startTemporal(): Promise<void>;
  /** Ends everything that was started here, in order. */
  stop(): Promise<void>;
}

/** Starts an API on a fresh database. Workers and dispatchers are started by the test. */
export async function startPrivateService(
  options: { settings?: Record<string, string>; ownTemporal?: boolean } = {},
): Promise<PrivateService> {
  const shared = stack();
  const id = randomUUID().slice(0, 8);
  const dataFolder = join(shared.dataFolder, `private-${id}`);
  await mkdir(dataFolder, { recursive: true });
  const report = (line: string) => console.log(line);
  const stops: (() => Promise<unknown>)[] = [];

  const url = new URL(shared.settings.DATABASE_URL ?? '');
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database "private_${id}"`);
  await admin.end();
  url.pathname = `/private_${id}`;
  const migrated = await openMigrated(url.href);
  await migrated.close();

  let own: RunningTemporal | undefined;
  const port = await freePort();
  async function startOwnTemporal(): Promise<void> {
    const binary = await findBinary('temporal', { report });
    own = await startTemporal({ dataFolder, binary, port, uiPort: undefined, durable: false, report });
  }
  if (options.ownTemporal) await startOwnTemporal();
  stops.push(async () => own?.stop());

  const settings = await withApiAddress({
    ...shared.settings,
    DATABASE_URL: url.href,
    TEMPORAL_TASK_QUEUE: `private-${id}`,
    // A child that is not needed costs a second of the processor all the same.
    EXTRACTION_PROCESSES: '1',
    ...(own ? { TEMPORAL_ADDRESS: own.address } : {}),
    ...options.settings,
  });
  const database = await openDatabase(url.href, 4);
  stops.push(() => database.close());
  const temporal = createTemporalClient({
    TEMPORAL_ADDRESS: settings.TEMPORAL_ADDRESS ?? '',
    TEMPORAL_NAMESPACE: 'default',
  });
  stops.push(() => temporal.connection.close());
  let count = 0;
  const process = () => ({ name: `process-${++count}`, dataFolder, settings, report });
  let api = await startApi(process());
  stops.push(() => api.stop());

  return {
    settings,
    database,
    temporal,
    apiUrl: api.url,
    newUser: (user) => newUser({ ...user, apiUrl: api.url, databaseUrl: url.href }),
    async startReplica(others = {}) {
      const { API_PORT: _, ...rest } = settings;
      const replica = await startApi({ ...process(), settings: { ...rest, ...others } });
      stops.push(() => replica.stop());
      return replica;
    },
    async killAndRestartApi() {
      globalThis.process.kill(api.pid, 'SIGKILL');
      await api.stop();
      api = await startApi(process());
    },
    async startWorker() {
      const worker = await startWorker(process());
      stops.push(() => worker.stop());
      return worker;
    },
    async startDispatcher() {
      const dispatcher = await startDispatcherProcess(process());
      stops.push(() => dispatcher.stop());
      return dispatcher;
    },
    async stopTemporal() {
      await own?.stop();
    },
    startTemporal: startOwnTemporal,
    async stop() {
      // Processes of the service first: the last started the first ended.
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
