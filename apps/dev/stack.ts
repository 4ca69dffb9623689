/** The whole service on one machine, for `npm start` and the demo. */
import { mkdir, realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../db/orm.ts';
import { type FindBinaryOptions, findBinary } from './binaries/binary.ts';
import { requirePort } from './servers/ports.ts';
import { awaitPredecessor } from './servers/process.ts';
import { type StartServersOptions, startServers } from './servers/servers.ts';
import { defaultIsolation, openMigrated, startApi, startWorker, withApiAddress } from './service.ts';

/** Wait limit for API and worker of an earlier start that was killed. */
const PREDECESSOR_TIMEOUT_MS = 60_000;
const HEALTHY_WITHIN_MS = 15_000;

export interface StackOptions extends Pick<StartServersOptions, 'dataFolder' | 'durable' | 'given' | 'ports'> {
  /** Port of the API; default: a free one. */
  apiPort?: number;
  /** Settings of the service that differ from their defaults. */
  service: Readonly<Record<string, string>>;
  /** Finds or creates the API key of the result, after the migration. */
  findKey: (database: Database) => Promise<string>;
  /** Receives progress messages, and a message when a process ends unexpectedly. */
  report: (line: string) => void;
  /** Aborts the start and stops the processes that were started. */
  signal: AbortSignal;
}

export interface RunningStack {
  apiUrl: string;
  workerUrl: string;
  key: string;
  /** Addresses and keys of all servers. */
  settings: Readonly<Record<string, string>>;
  /** Resolves when one of the processes ends unexpectedly. */
  ended: Promise<void>;
  /** Stops the API first, so that it accepts nothing new, then the worker, then the servers. */
  stop(): Promise<void>;
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

const healthSchema = z.object({ status: z.string() });

/** Waits until the API reports `ok`: it creates the bucket after its start. */
async function awaitHealth(apiUrl: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + HEALTHY_WITHIN_MS;
  for (;;) {
    signal.throwIfAborted();
    const health: unknown = await (await fetch(`${apiUrl}/health`)).json();
    if (healthSchema.parse(health).status === 'ok') return;
    if (Date.now() > deadline) throw new Error(`${apiUrl}/health still returns ${JSON.stringify(health)}.`);
    await delay(50);
  }
}

/** Downloads or builds missing binaries of the servers that are not given; the first time may take minutes. */
export async function findBinaries(
  given: NonNullable<StackOptions['given']>,
  options: Pick<FindBinaryOptions, 'report' | 'signal'>,
): Promise<void> {
  await Promise.all([
    given.TEMPORAL_ADDRESS === undefined ? findBinary('temporal', options) : undefined,
    given.S3_ENDPOINT === undefined ? findBinary('versitygw', options) : undefined,
  ]);
}

/**
 * Starts the servers that are not given, migrates the database, and starts the API (with dispatcher) and a worker. If a
 * part fails or `signal` is aborted, all started processes are stopped before the error is thrown.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const { report, signal, given = {} } = options;
  const stops: { name: string; stop: () => Promise<unknown> }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const { name, stop } of stops.splice(0).toReversed()) {
      const startedAt = Date.now();
      try {
        await stop();
        report(`Stopped ${name} (${seconds(startedAt)}).`);
      } catch (error) {
        report(`${name} could not be stopped: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  function stop(): Promise<void> {
    stopping ??= stopAll();
    return stopping;
  }

  const ended = Promise.withResolvers<void>();
  const reportEnd = (line: string) => {
    report(line);
    ended.resolve();
  };

  async function start(): Promise<RunningStack> {
    await mkdir(options.dataFolder, { recursive: true, mode: 0o700 });
    // One spelling, by which processes of an earlier start are recognised.
    const dataFolder = await realpath(options.dataFolder);
    for (const name of ['api', 'worker']) await awaitPredecessor(dataFolder, name, PREDECESSOR_TIMEOUT_MS);
    if (options.apiPort !== undefined) await requirePort(options.apiPort, 'API_PORT');
    // Already here, because startServers cannot abort a long build by `signal`.
    await findBinaries(given, { report, signal });

    report('Starting PostgreSQL, Temporal, storage and mail.');
    let startedAt = Date.now();
    let areReady = false;
    const { durable, ports = {} } = options;
    const servers = await startServers({
      dataFolder,
      durable,
      given,
      ports,
      // After the start the only message is that a server has ended.
      report: (line) => (areReady ? reportEnd(line) : report(line)),
    });
    areReady = true;
    stops.push({ name: 'mail, storage, Temporal and PostgreSQL', stop: servers.stop });
    report(`The servers are up (${seconds(startedAt)}).`);
    signal.throwIfAborted();

    startedAt = Date.now();
    const database = await openMigrated(servers.settings.DATABASE_URL ?? '', servers.settings.SECRETS_KEY);
    const key = await options.findKey(database).finally(() => database.close());
    report(`The schema is up to date (${seconds(startedAt)}).`);
    signal.throwIfAborted();

    report('Starting the worker, which bundles the workflows first, and the API with its dispatcher.');
    if ((options.service.EXTRACTION_ISOLATION ?? defaultIsolation) === 'none') {
      report('EXTRACTION_ISOLATION is "none": documents are read with all rights of the worker (docs/operations.md).');
    }
    startedAt = Date.now();
    const settings = await withApiAddress({ ...options.service, ...servers.settings }, options.apiPort);
    const common = { dataFolder, settings, report: reportEnd };
    const [worker, api] = await Promise.allSettled([
      startWorker({ ...common, name: 'worker' }),
      startApi({ ...common, name: 'api' }),
    ]);
    if (worker.status === 'fulfilled') stops.push({ name: 'the worker', stop: worker.value.stop });
    if (api.status === 'fulfilled') stops.push({ name: 'the API', stop: api.value.stop });
    if (worker.status === 'rejected') throw worker.reason;
    if (api.status === 'rejected') throw api.reason;
    await awaitHealth(api.value.url, signal);
    report(`The API and the worker are up (${seconds(startedAt)}).`);
    return {
      apiUrl: api.value.url,
      workerUrl: worker.value.url,
      key,
      settings: servers.settings,
      ended: ended.promise,
      stop,
    };
  }

  try {
    return await start();
  } catch (error) {
    await stop();
    throw error;
  }
}
