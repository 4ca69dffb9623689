/** All of the service on one machine: what `npm start` and the demo run. */
import { mkdir, realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../db/orm.ts';
import { type FindBinaryOptions, findBinary } from './binaries/binary.ts';
import { requirePort } from './servers/ports.ts';
import { awaitPredecessor } from './servers/process.ts';
import { type StartServersOptions, startServers } from './servers/servers.ts';
import { isolationHere, openMigrated, startApi, startWorker, withApiAddress } from './service.ts';

/** An API or a worker of a start that was killed may take this long to end. */
const PREDECESSOR_MS = 60_000;
const HEALTHY_WITHIN_MS = 15_000;

export interface StackOptions extends Pick<StartServersOptions, 'dataFolder' | 'durable' | 'given' | 'ports'> {
  /** Of the API; any free one when missing. */
  apiPort?: number;
  /** Settings of the service that differ from their defaults. */
  service: Readonly<Record<string, string>>;
  /** Finds or makes the key that is shown, once the schema is there. */
  findKey: (database: Database) => Promise<string>;
  /** Told what is done, what takes long, and what ended by itself. */
  report: (line: string) => void;
  /** Ends the start: what was started by then is stopped. */
  signal: AbortSignal;
}

export interface RunningStack {
  apiUrl: string;
  workerUrl: string;
  key: string;
  /** Addresses and keys of all servers. */
  settings: Readonly<Record<string, string>>;
  /** Resolves when one of the processes ends without having been asked to. */
  ended: Promise<void>;
  /** Stops the API first, so that nothing new is accepted, then the worker, then the servers. */
  stop(): Promise<void>;
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

const healthSchema = z.object({ status: z.string() });

/** Waits until the API sees all that it needs: the bucket is made after it has begun to answer. */
async function awaitHealth(apiUrl: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + HEALTHY_WITHIN_MS;
  for (;;) {
    signal.throwIfAborted();
    const answer: unknown = await (await fetch(`${apiUrl}/health`)).json();
    if (healthSchema.parse(answer).status === 'ok') return;
    if (Date.now() > deadline) throw new Error(`${apiUrl}/health still says ${JSON.stringify(answer)}.`);
    await delay(50);
  }
}

/** Has the binaries of all servers whose addresses are not given: made once, which may take minutes. */
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
 * Starts the servers that are not given, brings the schema up to date, then starts the API (with its dispatcher) and
 * a worker. When a part fails or `signal` is aborted, everything that was started has ended before the error comes.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const { report, signal, given = {} } = options;
  const stops: { name: string; stop: () => Promise<unknown> }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const { name, stop } of stops.splice(0).toReversed()) {
      const begun = Date.now();
      try {
        await stop();
        report(`Stopped ${name} (${seconds(begun)}).`);
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
    for (const name of ['api', 'worker']) await awaitPredecessor(dataFolder, name, PREDECESSOR_MS);
    if (options.apiPort !== undefined) await requirePort(options.apiPort, 'API_PORT');
    // Found here already, because only here a build of minutes can be broken off.
    await findBinaries(given, { report, signal });

    report('Starting PostgreSQL, Temporal, storage and mail.');
    let begun = Date.now();
    let areUp = false;
    const { durable, ports = {} } = options;
    const servers = await startServers({
      dataFolder,
      durable,
      given,
      ports,
      // Once they are up, there is nothing to say but that one has ended.
      report: (line) => (areUp ? reportEnd(line) : report(line)),
    });
    areUp = true;
    stops.push({ name: 'mail, storage, Temporal and PostgreSQL', stop: servers.stop });
    report(`The servers are up (${seconds(begun)}).`);
    signal.throwIfAborted();

    begun = Date.now();
    const database = await openMigrated(servers.settings.DATABASE_URL ?? '', servers.settings.SECRETS_KEY);
    const key = await options.findKey(database).finally(() => database.close());
    report(`The schema is up to date (${seconds(begun)}).`);
    signal.throwIfAborted();

    report('Starting the worker, which bundles the workflows first, and the API with its dispatcher.');
    if ((options.service.EXTRACTION_ISOLATION ?? isolationHere) === 'none') {
      report('EXTRACTION_ISOLATION is "none": documents are read with all rights of the worker (docs/operations.md).');
    }
    begun = Date.now();
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
    report(`The API and the worker are up (${seconds(begun)}).`);
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
