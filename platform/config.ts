/**
 * Every setting of the service, parsed once at the start of a process. No other file reads the environment.
 * A wrong or missing value ends the process with one line for each setting: its name and what it should be.
 */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import {
  type SettingIssue,
  TEMPORAL_SECURITY_SETTINGS,
  temporalConflicts,
  temporalSettings,
} from './temporal-settings.ts';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const count = z.coerce.number().int().positive();
const seconds = z.coerce.number().positive();
const port = z.coerce.number().int().min(0).max(65_535);

/** `127.0.0.1:8080` or `[::1]:8080`, separated by commas. */
const addressList = z.string().transform((text, context) => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries) {
    if (!/^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\]):\d{1,5}$/.test(entry)) {
      context.addIssue({ code: 'custom', message: `"${entry}" is not address:port` });
    }
  }
  return entries;
});

/** `10.0.0.1` or `10.0.0.0/8`, separated by commas. */
const networkList = z.string().transform((text, context) => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries) {
    const [address = '', bits = '0', ...more] = entry.split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    if (isIP(address) === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) {
      context.addIssue({ code: 'custom', message: `"${entry}" is no address or network, such as 10.0.0.0/8` });
    }
  }
  return entries;
});

const secondsList = z.string().transform((text, context) => {
  const values = text.split(',').map((entry) => Number(entry.trim()));
  if (values.some((value) => !Number.isFinite(value) || value < 0)) {
    context.addIssue({ code: 'custom', message: 'must be seconds separated by commas' });
  }
  return values;
});

const SECRETS_KEY_BYTES = 32;
const SECRETS_KEY_FORM = `must be base64 of ${SECRETS_KEY_BYTES} bytes, as of "openssl rand -base64 ${SECRETS_KEY_BYTES}"`;

/** A key of AES-256 as bytes. */
const secretsKey = z.string().transform((text, context) => {
  const key = Buffer.from(text, 'base64');
  // Buffer.from skips what is not base64.
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text) || key.length !== SECRETS_KEY_BYTES) {
    context.addIssue({ code: 'custom', message: SECRETS_KEY_FORM });
  }
  return key;
});

const secretsKeys = z.string().transform((text, context) =>
  text.split(',').flatMap((entry) => {
    const parsed = secretsKey.safeParse(entry.trim());
    if (parsed.success) return [parsed.data];
    context.addIssue({ code: 'custom', message: 'must be keys as SECRETS_KEY is one, separated by commas' });
    return [];
  }),
);

const schema = z.object({
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),

  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_POOL_MAX: count.default(20),

  ...temporalSettings,
  TEMPORAL_TASK_QUEUE: z.string().min(1).default('context-workspace'),
  /** Where people open the Temporal UI; shown in tables and never called. */
  TEMPORAL_UI_URL: z.url().optional(),
  /** Whether summaries in Temporal show the names of sources, spaces and artifacts, and not only their type and host. */
  TEMPORAL_SHOW_NAMES: flag.default(false),

  /** Encrypts the postback secrets in the database: base64 of 32 random bytes. */
  SECRETS_KEY: secretsKey,
  /** Keys that were used before, separated by commas: what they encrypted still opens. */
  SECRETS_KEY_PREVIOUS: secretsKeys.default([]),

  S3_ENDPOINT: z.url(),
  /** The address that presigned URLs carry; the same as S3_ENDPOINT unless clients see another one. */
  S3_PUBLIC_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_BUCKET: z.string().min(3).default('context-workspace'),
  S3_ACCESS_KEY_ID: z.string().min(1),
  S3_SECRET_ACCESS_KEY: z.string().min(1),

  API_HOST: z.string().min(1).default('127.0.0.1'),
  API_PORT: port.default(8080),
  /** The address of the API as its clients see it, for `publicUrl` and `links`. */
  PUBLIC_URL: z.url().default('http://127.0.0.1:8080'),
  /** How long a request may take to arrive, from its first byte to the last of its body. */
  REQUEST_TIMEOUT_SECONDS: seconds.default(120),
  /** Requests that an owner may make in 60 s, over all keys, replicas and protocols, by plan. */
  RATE_LIMIT_FREE: count.default(10),
  RATE_LIMIT_PRO: count.default(100),
  /** Requests with a wrong key that an address may make in 60 s. */
  RATE_LIMIT_WRONG_KEYS: count.default(60),
  /** Bytes of uploads, contents and results that an owner may store until they are purged, by plan. */
  QUOTA_STORED_BYTES_FREE: count.default(1024 ** 3),
  QUOTA_STORED_BYTES_PRO: count.default(100 * 1024 ** 3),
  /** Sources of an owner that are not deleted, by plan. */
  QUOTA_SOURCES_FREE: count.default(1_000),
  QUOTA_SOURCES_PRO: count.default(100_000),
  /** Runs of an owner that are open at once, by plan; what is more waits in the outbox. */
  QUOTA_OPEN_RUNS_FREE: count.default(20),
  QUOTA_OPEN_RUNS_PRO: count.default(1_000),
  /** Fetches of an owner's runs at one host in 60 s, by plan; what is more waits. */
  QUOTA_HOST_FETCHES_FREE: count.default(60),
  QUOTA_HOST_FETCHES_PRO: count.default(60),
  /** Waits and event streams that an owner may have open at one API process, by plan. */
  OPEN_WAITS_FREE: count.default(10),
  OPEN_WAITS_PRO: count.default(100),
  /** Addresses or networks (CIDR) of the proxies whose X-Forwarded-For is believed, separated by commas. */
  TRUSTED_PROXIES: networkList.default([]),
  /** Whether the API process runs the dispatcher and the reconciler too. */
  API_RUNS_DISPATCHER: flag.default(true),
  /** Port for /health and /metrics of a worker or a dispatcher of its own; 0 takes any free one. */
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: port.default(0),

  /** A file made by apps/worker/bundle.ts; without it a worker bundles the workflows when it starts. */
  WORKFLOW_BUNDLE: z.string().min(1).optional(),
  /** The longest pause of an activity that met trouble of PostgreSQL, Temporal or the storage, before it tries again. */
  DEPENDENCY_RETRY_SECONDS: seconds.default(15),
  /** Most activities that wait (for pages, receivers, members, the database) in one worker at once. */
  WORKER_ACTIVITIES: count.default(40),

  DISPATCHER_SWEEP_SECONDS: seconds.default(1),
  /** Most calls to Temporal that one dispatcher has open. */
  DISPATCHER_CONCURRENCY: count.default(20),
  /** Runs of one owner that a dispatcher starts ahead of the workers; further ones wait in the outbox. */
  DISPATCHER_OWNER_RUNS: count.default(20),
  RECONCILER_SWEEP_SECONDS: seconds.default(10),
  /** How long something owed must have stood still before the reconciler asks Temporal about it. */
  RECONCILER_GRACE_SECONDS: seconds.default(20),
  /** How long a run may do nothing but fail for a source that has not ended, before it is replaced. */
  RECONCILER_STUCK_SECONDS: seconds.default(600),
  /** Failures of its workflow task in a row after which a run is replaced. */
  RECONCILER_TASK_FAILURES: count.default(10),
  /** The least time between two repetitions of a command to an open run. */
  RECONCILER_REMIND_SECONDS: seconds.default(60),

  /** Private addresses that fetches and postbacks may reach all the same. */
  EGRESS_ALLOW: addressList.default([]),
  FETCH_MAX_BYTES: count.default(50 * 1024 * 1024),
  /** How long a fetch that fails for a passing reason is tried again. */
  FETCH_RETRY_SECONDS: seconds.default(60),
  UPLOAD_MAX_BYTES: count.default(100 * 1024 * 1024),

  /** Documents that one worker reads at once, each in a process of its own; one for each core by default. */
  EXTRACTION_PROCESSES: count.default(availableParallelism()),
  /**
   * What separates those processes from the worker, its secrets, the network and the machine: `namespaces` of Linux, or
   * `none`. Where the machine does not allow the former, the worker does not start.
   */
  EXTRACTION_ISOLATION: z.enum(['namespaces', 'none']).default('namespaces'),
  EXTRACTION_TIMEOUT_SECONDS: seconds.default(60),
  EXTRACTION_MEMORY_MB: count.default(768),
  /** Bounds of one document; their defaults stand in extraction/limits.ts. */
  EXTRACTION_MAX_CHARACTERS: count.optional(),
  EXTRACTION_MAX_PAGES: count.optional(),
  EXTRACTION_MAX_CELLS: count.optional(),
  EXTRACTION_MAX_ENTRIES: count.optional(),
  EXTRACTION_MAX_INFLATED_BYTES: count.optional(),
  EXTRACTION_MAX_NESTING: count.optional(),
  EXTRACTION_MAX_NODES: count.optional(),
  EXTRACTION_MAX_ARTIFACTS: count.optional(),

  MEMBER_WAIT_SECONDS: seconds.default(24 * 3600),
  /** The longest pause between two looks of a composition whether its members have ended. */
  MEMBER_LOOK_SECONDS: seconds.default(10),

  /** Delays before each attempt of a postback; the first belongs to the first attempt. */
  POSTBACK_SCHEDULE_SECONDS: secondsList.default([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]),

  /** How long what was deleted can be restored; after that it is purged. */
  RETENTION_SECONDS: seconds.default(30 * 24 * 3600),
  /** How long a granted upload that no source claims is kept. */
  UPLOAD_RETENTION_SECONDS: seconds.default(24 * 3600),
  /** How long a support ticket that was sent is kept. */
  TICKET_RETENTION_SECONDS: seconds.default(30 * 24 * 3600),
  /** How often what is kept in vain is looked for: unclaimed uploads, old Idempotency-Keys, tickets, generations, objects. */
  SWEEP_SECONDS: seconds.default(3600),
  /** How long an object that no row names any more is kept; readers may still be following it. */
  OBJECT_GRACE_SECONDS: seconds.default(3600),

  /** Where mail is handed over, as `smtp://[user:password@]host:port`. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Who gets support tickets, and in whose name they are sent. */
  SUPPORT_MAILBOX: z.email().default('support@localhost.localdomain'),
  MAIL_FROM: z.email().default('context-workspace@localhost.localdomain'),
});

export type Config = Readonly<z.infer<typeof schema>>;

/** The names of all settings, for tests that compare other files with them. */
export const settingNames = Object.keys(schema.shape);
/** The names of the settings that have no default. */
export const requiredSettingNames = Object.entries(schema.shape)
  .filter(([, field]) => !field.safeParse(undefined).success)
  .map(([name]) => name);

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The settings among `names` that are set. An empty string counts as unset, as in a compose file's `${NAME:-}`. */
function setOnes(environment: Record<string, string | undefined>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** @param conflictsOf what is wrong with settings that are right by themselves. */
function parseSettings<Output>(
  schema: z.ZodType<Output>,
  given: Record<string, string>,
  conflictsOf: (settings: Output) => SettingIssue[] = () => [],
): Output {
  const result = schema.safeParse(given);
  const issues = result.success
    ? conflictsOf(result.data)
    : result.error.issues.map((issue) => {
        const setting = String(issue.path[0]);
        return { setting, message: given[setting] === undefined ? 'must be set' : issue.message };
      });
  if (result.success && issues.length === 0) return result.data;
  const lines = issues.map(({ setting, message }) => `  ${setting}: ${message}`);
  throw new ConfigError(`The settings are not usable:\n${lines.join('\n')}`);
}

/**
 * Reads the settings from `environment`.
 * @throws ConfigError with a line for each setting that is wrong.
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  return parseSettings(schema, setOnes(environment, settingNames), temporalConflicts);
}

/** What `npm start` and the demo are told: ports, and addresses of servers that are then not started. */
const startSchema = z.object({
  DATA_FOLDER: z.string().optional(),

  DATABASE_URL: schema.shape.DATABASE_URL.optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_UI_URL: z.url().optional(),
  S3_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  SMTP_URL: schema.shape.SMTP_URL,
  SECRETS_KEY: z
    .string()
    .refine((text) => secretsKey.safeParse(text).success, { error: SECRETS_KEY_FORM })
    .optional(),

  API_PORT: port.min(1).default(8080),
  POSTGRES_PORT: port.min(1).default(5433),
  TEMPORAL_PORT: port.min(1).default(7233),
  TEMPORAL_UI_PORT: port.min(1).default(8233),
  S3_PORT: port.min(1).default(7070),
  SMTP_PORT: port.min(1).default(1025),
});

export interface StartSettings extends Readonly<z.infer<typeof startSchema>> {
  /** The settings of the service that are set, to be handed to its processes. */
  service: Readonly<Record<string, string>>;
}

/** The Temporal that `npm start` itself starts has no TLS and asks for no key. */
function securityOfOwnTemporal(service: Record<string, string>): SettingIssue[] {
  return TEMPORAL_SECURITY_SETTINGS.filter((setting) => setting in service).map((setting) => ({
    setting,
    message: 'is for a Temporal that runs elsewhere: set TEMPORAL_ADDRESS too',
  }));
}

/** @throws ConfigError with a line for each setting that is wrong, those of the service among them. */
export function parseStartSettings(environment: Record<string, string | undefined>): StartSettings {
  const startNames = Object.keys(startSchema.shape);
  const given = setOnes(environment, startNames);
  const service = setOnes(
    environment,
    settingNames.filter((name) => !startNames.includes(name)),
  );
  // Those of the service are judged here, before anything is started, and not by a process that ends early.
  parseSettings(schema.partial().extend(startSchema.shape), { ...service, ...given }, (settings) =>
    given.TEMPORAL_ADDRESS === undefined ? securityOfOwnTemporal(service) : temporalConflicts(settings),
  );
  return { ...startSchema.parse(given), service };
}

function orExit<T>(parse: (environment: Record<string, string | undefined>) => T): T {
  try {
    return parse(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(78);
  }
}

/** The settings of this process, or a clear message and exit code 78 (EX_CONFIG of sysexits.h). */
export function loadConfig(): Config {
  return orExit(parseConfig);
}

/**
 * Lets so many names be looked up at once; to be called before anything uses Node's thread pool. A look-up holds a thread
 * until it is answered, for 10 s and longer where the server of a name is silent, and look-ups get half of the threads:
 * two of the default four, so that two such names of one user would hold up everybody's.
 */
export function allowLookups(count: number): void {
  process.env.UV_THREADPOOL_SIZE ??= String(2 * count);
}

/** The settings of `npm start` or the demo, or a clear message and exit code 78. */
export function loadStartSettings(): StartSettings {
  return orExit(parseStartSettings);
}

/** The keys that encrypt secrets, for a tool that needs no other setting; null where SECRETS_KEY is not set. */
export function secretsKeysForTools(): Pick<Config, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'> | null {
  const given = setOnes(process.env, ['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS']);
  if (given.SECRETS_KEY === undefined) return null;
  return parseSettings(schema.pick({ SECRETS_KEY: true, SECRETS_KEY_PREVIOUS: true }), given);
}

/** The database that command line tools of development look at, where no whole configuration is needed. */
export function databaseUrlForTools(): string {
  return process.env.DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/context_workspace';
}
