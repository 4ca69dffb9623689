/** A service of a test's own, for what would disturb the others: its own database, task queue and processes. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client as TemporalClient } from '@temporalio/client';
import { findBinary } from '../../apps/dev/binaries/binary.ts';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { startPostgres } from '../../apps/dev/servers/postgres.ts';
import { startTemporal, type TemporalOptions } from '../../apps/dev/servers/temporal.ts';
import { openMigrated, startApi, startDispatcherProcess, startWorker, withApiAddress } from '../../apps/dev/service.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { parseConfig } from '../../platform/config.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { newUser, type TestUser } from './client.ts';
import { createDatabase, MIGRATED_DATABASE } from './databases.ts';
import { type ManagedProcess, startManagedProcess } from './managed-process.ts';
import { stack } from './stack.ts';

/** A process of the service; `url` is that of the API, else of /metrics, and stays the same over restarts. */
export interface ServicePart extends ManagedProcess {
  url: string;
}

/** A server that only this service uses. */
export interface OwnServer extends ManagedProcess {
  /** Copies its data away and returns where to. It must not run. */
  copyData(): Promise<string>;
  /** Puts such a copy in the place of its data; without one it begins anew, with none. It must not run. */
  replaceData(copy?: string): Promise<void>;
}

type OwnServerName = 'postgres' | 'temporal';

export interface PrivateService {
  /** Holds `logs/`, and the data of the servers of its own. */
  dataFolder: string;
  settings: Record<string, string>;
  database: Database;
  temporal: TemporalClient;
  apiUrl: string;
  api: ServicePart;
  /** @throws when `own` did not name it. */
  server(name: OwnServerName): OwnServer;
  newUser(options?: { plan?: 'free' | 'pro'; email?: string }): Promise<TestUser>;
  /** Another API over the same database. */
  startReplica(settings?: Record<string, string>): Promise<ServicePart>;
  startWorker(settings?: Record<string, string>): Promise<ServicePart>;
  /** Starts a worker that may have to wait: `started` settles once it polls, or cannot start. */
  beginWorker(settings?: Record<string, string>): Promise<{ url: string; started: Promise<ServicePart> }>;
  startDispatcher(settings?: Record<string, string>): Promise<ServicePart>;
  /** Kills the service's processes and ends its servers, the last started the first. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

async function startOwnServer(
  name: OwnServerName,
  dataFolder: string,
  dynamicConfig: TemporalOptions['dynamicConfig'] = {},
): Promise<{ server: OwnServer; address: string }> {
  const port = await freePort();
  let address = '';
  const start = {
    async postgres(report: (line: string) => void) {
      // Durable: without, a kill loses what was committed.
      const postgres = await startPostgres({ dataFolder, port, durable: true, report });
      address = postgres.url;
      return postgres;
    },
    async temporal(report: (line: string) => void) {
      const binary = await findBinary('temporal', { report });
      const options = { dataFolder, binary, port, uiPort: undefined, durable: false, dynamicConfig, report };
      const temporal = await startTemporal(options);
      address = temporal.address;
      return temporal;
    },
  };
  const part = await startManagedProcess(name, start[name], console.log);
  const data = { postgres: join(dataFolder, 'postgres', 'data'), temporal: join(dataFolder, 'temporal') }[name];
  // cp keeps owners and modes, by which PostgreSQL would not start otherwise.
  const copy = (from: string, to: string) => run('cp', ['--archive', from, to]);
  const server = Object.assign(part, {
    async copyData() {
      const target = `${data}.${randomUUID()}`;
      await copy(data, target);
      return target;
    },
    async replaceData(from?: string) {
      await rm(data, { recursive: true });
      if (from !== undefined) await copy(from, data);
    },
  });
  return { server, address };
}

/**
 * Starts an API on a fresh database. Workers and dispatchers are started by the test. `own` names the servers that a
 * test kills, pauses or gives other data.
 */
export async function startPrivateService(
  options: {
    settings?: Record<string, string>;
    own?: OwnServerName[];
    /** Dynamic configuration of the Temporal of its own, beside ours; null: Temporal's defaults alone. */
    temporalConfig?: TemporalOptions['dynamicConfig'];
    /**
     * Gets the address of the new database of a PostgreSQL of its own, and returns those by which it is migrated and by
     * which the service opens it.
     */
    beforeMigrations?: (databaseUrl: string) => Promise<{ ofMigrations: string; ofService: string }>;
  } = {},
): Promise<PrivateService> {
  const shared = stack();
  const id = randomUUID().slice(0, 8);
  const dataFolder = join(shared.dataFolder, `private-${id}`);
  await mkdir(dataFolder, { recursive: true });
  const stops: (() => Promise<unknown>)[] = [];

  const own: Partial<Record<OwnServerName, { server: OwnServer; address: string }>> = {};
  for (const name of options.own ?? []) {
    const started = await startOwnServer(name, dataFolder, options.temporalConfig);
    own[name] = started;
    stops.push(() => started.server.stop());
  }
  const created =
    own.postgres?.address ??
    (await createDatabase(shared.settings.DATABASE_URL ?? '', `private_${id}`, MIGRATED_DATABASE));
  const given = await options.beforeMigrations?.(created);
  const url = given?.ofService ?? created;
  if (own.postgres !== undefined) await (await openMigrated(given?.ofMigrations ?? url)).close();

  const settings = await withApiAddress({
    ...shared.settings,
    DATABASE_URL: url,
    TEMPORAL_TASK_QUEUE: `private-${id}`,
    // A bucket belongs to one database.
    S3_BUCKET: `private-${id}`,
    // A child that is not needed costs a second of the processor all the same.
    EXTRACTION_PROCESSES: '1',
    ...(own.temporal ? { TEMPORAL_ADDRESS: own.temporal.address } : {}),
    ...options.settings,
  });
  const database = await openDatabase(url, 4);
  stops.push(() => database.close());
  const temporal = createTemporalClient(parseConfig(settings));
  stops.push(() => temporal.connection.close());

  let count = 0;
  async function startOne(start: typeof startWorker, address: string, of: Record<string, string>) {
    const name = `process-${++count}`;
    const part = await startManagedProcess(
      name,
      (report) => start({ name, dataFolder, settings: of, report }),
      console.log,
    );
    // A worker would wait for what hangs until its grace is over.
    stops.push(() => part.kill());
    return Object.assign(part, { url: address });
  }
  async function beginMeasured(start: typeof startWorker, others: Record<string, string>) {
    const METRICS_PORT = String(await freePort());
    const url = `http://127.0.0.1:${METRICS_PORT}`;
    const started = startOne(start, url, { ...settings, ...others, METRICS_PORT });
    const settled = started.catch(() => undefined);
    // It may still be starting then.
    stops.push(async () => (await settled)?.kill());
    return { url, started };
  }
  const startMeasured = async (start: typeof startWorker, others: Record<string, string>) =>
    (await beginMeasured(start, others)).started;
  const api = await startOne(startApi, `http://127.0.0.1:${settings.API_PORT}`, settings);

  return {
    dataFolder,
    settings,
    database,
    temporal,
    apiUrl: api.url,
    api,
    server(name) {
      const found = own[name]?.server;
      if (found === undefined) throw new Error(`This service has no ${name} of its own.`);
      return found;
    },
    newUser: (user) => newUser({ ...user, apiUrl: api.url, databaseUrl: url }),
    async startReplica(others = {}) {
      const { API_PORT: _, PUBLIC_URL: __, ...rest } = settings;
      const replica = await withApiAddress({ ...rest, ...others });
      return startOne(startApi, replica.PUBLIC_URL, replica);
    },
    startWorker: (others = {}) => startMeasured(startWorker, others),
    beginWorker: (others = {}) => beginMeasured(startWorker, others),
    startDispatcher: (others = {}) => startMeasured(startDispatcherProcess, others),
    async stop() {
      // Processes of the service first: the last started the first ended.
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
