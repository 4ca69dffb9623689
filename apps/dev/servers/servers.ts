/** Starts the servers that the service needs and that are not given, for `npm start`, demo, tests and benchmarks. */
import { mkdir, realpath } from 'node:fs/promises';
import { findBinary } from '../binaries/binary.ts';
import { loadSecretsKey } from './kept-secret.ts';
import { startMail } from './mail.ts';
import { freePorts, requirePort } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { awaitPredecessor } from './process.ts';
import { startStorage } from './storage.ts';
import { startTemporal } from './temporal.ts';

/** For each port its setting, and the setting of an address that makes the port unnecessary. */
const portSettings = {
  postgres: { setting: 'POSTGRES_PORT', address: 'DATABASE_URL' },
  temporal: { setting: 'TEMPORAL_PORT', address: 'TEMPORAL_ADDRESS' },
  temporalUi: { setting: 'TEMPORAL_UI_PORT', address: 'TEMPORAL_ADDRESS' },
  storage: { setting: 'S3_PORT', address: 'S3_ENDPOINT' },
  mail: { setting: 'SMTP_PORT', address: 'SMTP_URL' },
} as const;

type PortName = keyof typeof portSettings;

/** Addresses of servers that run elsewhere; a server with an address is not started. */
export interface GivenServers {
  DATABASE_URL?: string | undefined;
  TEMPORAL_ADDRESS?: string | undefined;
  TEMPORAL_UI_URL?: string | undefined;
  S3_ENDPOINT?: string | undefined;
  S3_REGION?: string | undefined;
  S3_ACCESS_KEY_ID?: string | undefined;
  S3_SECRET_ACCESS_KEY?: string | undefined;
  SMTP_URL?: string | undefined;
  /** Encrypts the secrets in the database. Default: the key of the data folder. */
  SECRETS_KEY?: string | undefined;
}

export interface StartServersOptions {
  /** Created if missing. Only one start at a time may use a folder. */
  dataFolder: string;
  /** Whether data of PostgreSQL and Temporal survives a crash of the machine; they are faster without. */
  durable: boolean;
  given?: GivenServers;
  /** Fixed ports; every other server gets a free port. */
  ports?: Partial<Record<PortName, number>>;
  /** Whether Temporal has a UI. Default true. */
  temporalUi?: boolean;
  /** Receives progress messages, and a message when a server ends unexpectedly. */
  report: (line: string) => void;
}

export interface RunningServers {
  /** Environment of the service's processes: addresses and keys of all servers, started or given, and SECRETS_KEY. */
  settings: Record<string, string>;
  /** Stops the started servers in reverse order. Idempotent. */
  stop(): Promise<void>;
}

interface Started {
  settings: Record<string, string | undefined>;
  stop(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

function givenSettings(given: GivenServers): Record<'postgres' | 'temporal' | 'storage' | 'mail', Started | undefined> {
  const { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_UI_URL, S3_ENDPOINT, SMTP_URL } = given;
  const { S3_REGION = 'us-east-1', S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = given;
  if (S3_ENDPOINT !== undefined && (S3_ACCESS_KEY_ID === undefined || S3_SECRET_ACCESS_KEY === undefined)) {
    throw new Error('S3_ENDPOINT is set: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY too.');
  }
  const elsewhere = (address: string | undefined, settings: Started['settings']): Started | undefined =>
    address === undefined ? undefined : { settings, stop: nothing };
  return {
    postgres: elsewhere(DATABASE_URL, { DATABASE_URL }),
    temporal: elsewhere(TEMPORAL_ADDRESS, { TEMPORAL_ADDRESS, TEMPORAL_UI_URL }),
    storage: elsewhere(S3_ENDPOINT, { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }),
    mail: elsewhere(SMTP_URL, { SMTP_URL }),
  };
}

/** Returns a port for each server: the fixed one if it is free, or any free one. @throws PortUnavailableError */
async function choosePorts(
  fixed: Partial<Record<PortName, number>>,
  wanted: readonly PortName[],
): Promise<Record<PortName, number>> {
  const free = await freePorts(5);
  const take = async (name: PortName): Promise<number> => {
    const port = wanted.includes(name) ? fixed[name] : undefined;
    if (port === undefined) return free.pop() ?? 0;
    const { setting, address } = portSettings[name];
    await requirePort(port, setting, `set ${address} to use a server that runs`);
    return port;
  };
  return {
    postgres: await take('postgres'),
    temporal: await take('temporal'),
    temporalUi: await take('temporalUi'),
    storage: await take('storage'),
    mail: await take('mail'),
  };
}

/**
 * Starts the servers that are not given, concurrently, and returns when all are ready. If one fails, the others are
 * stopped before the error is thrown.
 */
export async function startServers(options: StartServersOptions): Promise<RunningServers> {
  const { durable, report, temporalUi = true } = options;
  const given = givenSettings(options.given ?? {});
  await mkdir(options.dataFolder, { recursive: true, mode: 0o700 });
  // The canonical path identifies processes of an earlier start.
  const dataFolder = await realpath(options.dataFolder);
  const processes = (['postgres', 'temporal', 'storage'] as const).filter((name) => given[name] === undefined);
  await Promise.all(processes.map((name) => awaitPredecessor(dataFolder, name)));
  const ports = await choosePorts(options.ports ?? {}, [
    ...processes,
    ...(given.temporal === undefined && temporalUi ? (['temporalUi'] as const) : []),
    ...(given.mail === undefined ? (['mail'] as const) : []),
  ]);

  const failed = new AbortController();
  const signal = failed.signal;
  const starts: (() => Promise<Started>)[] = [
    async () => {
      if (given.postgres !== undefined) return given.postgres;
      const server = await startPostgres({ dataFolder, port: ports.postgres, durable, report });
      return { settings: { DATABASE_URL: server.url }, stop: server.stop };
    },
    async () => {
      if (given.temporal !== undefined) return given.temporal;
      const binary = await findBinary('temporal', { report, signal });
      signal.throwIfAborted();
      const uiPort = temporalUi ? ports.temporalUi : undefined;
      const server = await startTemporal({ dataFolder, binary, port: ports.temporal, uiPort, durable, report });
      return { settings: { TEMPORAL_ADDRESS: server.address, TEMPORAL_UI_URL: server.uiUrl }, stop: server.stop };
    },
    async () => {
      if (given.storage !== undefined) return given.storage;
      const binary = await findBinary('versitygw', { report, signal });
      signal.throwIfAborted();
      const server = await startStorage({ dataFolder, binary, port: ports.storage, report });
      const settings = {
        S3_ENDPOINT: server.endpoint,
        S3_REGION: server.region,
        S3_ACCESS_KEY_ID: server.accessKeyId,
        S3_SECRET_ACCESS_KEY: server.secretAccessKey,
      };
      return { settings, stop: server.stop };
    },
    async () => {
      if (given.mail !== undefined) return given.mail;
      const server = await startMail({ dataFolder, port: ports.mail });
      return { settings: { SMTP_URL: server.url }, stop: server.stop };
    },
  ];

  let firstError: unknown;
  const outcomes = await Promise.all(
    starts.map((start) =>
      start().catch((error: unknown) => {
        // Later failures are caused by the signal.
        firstError ??= error;
        failed.abort();
        return undefined;
      }),
    ),
  );
  const started = outcomes.filter((outcome) => outcome !== undefined);

  let stopping: Promise<void> | undefined;
  async function stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const server of started.toReversed()) {
      await server.stop().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Not every server could be stopped.');
  }
  function stop(): Promise<void> {
    stopping ??= stopAll();
    return stopping;
  }

  if (firstError !== undefined) {
    await stop();
    throw firstError;
  }
  const settings: Record<string, string> = {
    SECRETS_KEY: options.given?.SECRETS_KEY ?? (await loadSecretsKey(dataFolder)),
  };
  for (const server of started) {
    for (const [name, value] of Object.entries(server.settings)) if (value !== undefined) settings[name] = value;
  }
  return { settings, stop };
}
