/** The servers that the service needs, as far as they are not given: `npm start`, the demo, tests and benches. */
import { mkdir, realpath } from 'node:fs/promises';
import { findBinary } from '../binaries/binary.ts';
import { keptSecretsKey } from './kept-secret.ts';
import { startMail } from './mail.ts';
import { freePorts, requirePort } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { awaitPredecessor } from './process.ts';
import { startStorage } from './storage.ts';
import { startTemporal } from './temporal.ts';

/** Each port that can be fixed: the setting that fixes it, and the one that makes it needless. */
const portSettings = {
  postgres: { setting: 'POSTGRES_PORT', address: 'DATABASE_URL' },
  temporal: { setting: 'TEMPORAL_PORT', address: 'TEMPORAL_ADDRESS' },
  temporalUi: { setting: 'TEMPORAL_UI_PORT', address: 'TEMPORAL_ADDRESS' },
  storage: { setting: 'S3_PORT', address: 'S3_ENDPOINT' },
  mail: { setting: 'SMTP_PORT', address: 'SMTP_URL' },
} as const;

type PortName = keyof typeof portSettings;

/** Addresses of servers that run elsewhere; what has one is not started. */
export interface GivenServers {
  DATABASE_URL?: string | undefined;
  TEMPORAL_ADDRESS?: string | undefined;
  TEMPORAL_UI_URL?: string | undefined;
  S3_ENDPOINT?: string | undefined;
  S3_REGION?: string | undefined;
  S3_ACCESS_KEY_ID?: string | undefined;
  S3_SECRET_ACCESS_KEY?: string | undefined;
  SMTP_URL?: string | undefined;
  /** Encrypts the secrets in the database; one of the data folder's own where none is given. */
  SECRETS_KEY?: string | undefined;
}

export interface StartServersOptions {
  /** Made when missing. Servers of one folder run once at a time. */
  dataFolder: string;
  /** Whether the database and Temporal survive a crash of the machine; without it they are faster. */
  durable: boolean;
  given?: GivenServers;
  /** What is not named here gets a free port. */
  ports?: Partial<Record<PortName, number>>;
  /** Without it, Temporal has no UI. Default true. */
  temporalUi?: boolean;
  /** Told what takes long, and when a server ends by itself. */
  report: (line: string) => void;
}

export interface RunningServers {
  /** Environment for the service's processes: the addresses and keys of all servers, started or given, and SECRETS_KEY. */
  settings: Record<string, string>;
  /** Ends in reverse order what was started. Idempotent. */
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

/** A port for each name: the fixed one, seen to be free, or any. */
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
 * Starts what is not given, all at once, and returns when everything answers. What fails takes the others with it:
 * then everything that was started has ended before the error is thrown.
 */
export async function startServers(options: StartServersOptions): Promise<RunningServers> {
  const { durable, report, temporalUi = true } = options;
  const given = givenSettings(options.given ?? {});
  await mkdir(options.dataFolder, { recursive: true, mode: 0o700 });
  // One spelling, by which processes of an earlier start are recognised.
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
        // Those that fail later do so because of the signal.
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
    if (errors.length > 0) throw new AggregateError(errors, 'Not every server could be ended.');
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
    SECRETS_KEY: options.given?.SECRETS_KEY ?? (await keptSecretsKey(dataFolder)),
  };
  for (const server of started) {
    for (const [name, value] of Object.entries(server.settings)) if (value !== undefined) settings[name] = value;
  }
  return { settings, stop };
}
