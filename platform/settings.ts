/**
 * Every setting of the service by subject: its schema, its default and its description. `npm run docs:settings` writes
 * docs/settings.md and .env.example from this file.
 */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { temporalSettings } from './temporal-settings.ts';

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
    const maxBits = isIP(address) === 6 ? 128 : 32;
    if (isIP(address) === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > maxBits) {
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
const SECRETS_KEY_FORM = 'must be base64 of 32 bytes, as "openssl rand -base64 32" prints it';

/** A key of AES-256 as bytes. */
const secretsKey = z.string().transform((text, context) => {
  const key = Buffer.from(text, 'base64');
  // Buffer.from skips characters that are not base64.
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

const postgresql = {
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .describe('Address of PostgreSQL 18: `postgresql://user:password@host:port/database`'),
  DATABASE_POOL_MAX: count
    .default(20)
    .describe('Maximum connections of one process; a connection is closed after ten idle minutes'),
};

const temporal = {
  ...temporalSettings,
  TEMPORAL_TASK_QUEUE: z
    .string()
    .min(1)
    .default('context-workspace')
    .describe('Task queue of the runs; the queue for activities that wait has this name with `-waiting`'),
  TEMPORAL_UI_URL: z.url().optional().describe('Address of the Temporal UI; only shown to people, never called'),
  TEMPORAL_SHOW_NAMES: flag
    .default(false)
    .describe("Whether Temporal's summaries show names of sources, spaces and artifacts, not only type and host"),
};

const storage = {
  S3_ENDPOINT: z.url().describe('Address of the S3 storage for the service'),
  S3_PUBLIC_ENDPOINT: z.url().optional().meta({
    description: 'Address of the S3 storage in presigned URLs, for clients',
    defaultText: 'value of `S3_ENDPOINT`',
  }),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket'),
  S3_BUCKET: z
    .string()
    .min(3)
    .default('context-workspace')
    .describe('Bucket, for this service alone; created if it is missing'),
  S3_ACCESS_KEY_ID: z.string().min(1).describe('Access key of the S3 storage'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).describe('Secret key of the S3 storage'),
};

const secrets = {
  SECRETS_KEY: secretsKey.describe(
    'Key that encrypts postback secrets in the database: base64 of 32 bytes, `openssl rand -base64 32`',
  ),
  SECRETS_KEY_PREVIOUS: secretsKeys
    .default([])
    .describe('Earlier values of `SECRETS_KEY`, separated by commas; secrets encrypted with them stay readable'),
};

const api = {
  API_HOST: z.string().min(1).default('127.0.0.1').describe('Address that the API listens on'),
  API_PORT: port.default(8080).describe('Port of the API; 0 means any free port'),
  PUBLIC_URL: z.url().default('http://127.0.0.1:8080').describe('Address of the API for clients, used in links'),
  REQUEST_TIMEOUT_SECONDS: seconds
    .default(120)
    .describe('Time limit, in seconds, for a request to arrive, from its first byte to the last of its body'),
  TRUSTED_PROXIES: networkList
    .default([])
    .describe('Addresses or CIDR networks of proxies whose `X-Forwarded-For` is trusted, separated by commas'),
  API_RUNS_DISPATCHER: flag
    .default(true)
    .describe('Whether the API process also runs dispatcher, reconciler and sweeper'),
};

const limits = {
  RATE_LIMIT_FREE: count
    .default(10)
    .describe('Requests of one owner in 60 s, over all keys and processes; plan `free`'),
  RATE_LIMIT_PRO: count.default(100).describe('The same for plan `pro`'),
  RATE_LIMIT_WRONG_KEYS: count.default(60).describe('Requests with an invalid key from one address in 60 s'),
  OPEN_WAITS_FREE: count
    .default(10)
    .describe('Open long polls and event streams of one owner at one API process; plan `free`'),
  OPEN_WAITS_PRO: count.default(100).describe('The same for plan `pro`'),
  QUOTA_SOURCES_FREE: count.default(1_000).describe('Sources of one owner that are not deleted; plan `free`'),
  QUOTA_SOURCES_PRO: count.default(100_000).describe('The same for plan `pro`'),
  QUOTA_STORED_BYTES_FREE: count
    .default(1024 ** 3)
    .describe('Bytes of uploads, contents and results of one owner until they are purged; plan `free`'),
  QUOTA_STORED_BYTES_PRO: count.default(100 * 1024 ** 3).describe('The same for plan `pro`'),
  QUOTA_OPEN_RUNS_FREE: count
    .default(20)
    .describe('Open runs of one owner; further runs wait in the outbox; plan `free`'),
  QUOTA_OPEN_RUNS_PRO: count.default(1_000).describe('The same for plan `pro`'),
  QUOTA_HOST_FETCHES_FREE: count
    .default(60)
    .describe('Fetches of one owner from one host in 60 s; further fetches wait; plan `free`'),
  QUOTA_HOST_FETCHES_PRO: count.default(60).describe('The same for plan `pro`'),
};

const dispatcher = {
  DISPATCHER_SWEEP_SECONDS: seconds
    .default(1)
    .describe('Interval, in seconds, between checks of the outbox when no notification arrives'),
  DISPATCHER_CONCURRENCY: count.default(20).describe('Maximum concurrent calls of one dispatcher to Temporal'),
  DISPATCHER_OWNER_RUNS: count
    .default(20)
    .describe('Runs of one owner that a dispatcher starts ahead of the workers; further runs wait in the outbox'),
  RECONCILER_SWEEP_SECONDS: seconds
    .default(10)
    .describe('Interval, in seconds, between checks for pending work without progress'),
  RECONCILER_GRACE_SECONDS: seconds
    .default(20)
    .describe('Seconds without progress after which the reconciler describes the run in Temporal'),
  RECONCILER_STUCK_SECONDS: seconds
    .default(600)
    .describe('Seconds after which an open run whose pending work keeps failing is replaced'),
  RECONCILER_TASK_FAILURES: count
    .default(10)
    .describe('Consecutive failures of its workflow task after which a run is replaced'),
  RECONCILER_REMIND_SECONDS: seconds
    .default(60)
    .describe('Minimum interval, in seconds, between two repetitions of a command to an open run'),
};

const worker = {
  WORKER_ACTIVITIES: count
    .default(40)
    .describe('Concurrent activities of one worker that wait (fetches, deliveries, mail, members, the database)'),
  DEPENDENCY_RETRY_SECONDS: seconds
    .default(15)
    .describe('Longest delay, in seconds, before a retry while PostgreSQL, Temporal or storage is unavailable'),
  WORKFLOW_BUNDLE: z.string().min(1).optional().meta({
    description: 'File written by `node apps/worker/bundle.ts FILE`; a worker with it starts 2 s sooner',
    defaultText: 'bundled at the start',
  }),
  MEMBER_WAIT_SECONDS: seconds.default(24 * 3600).describe('How long a composition waits for its members, in seconds'),
  MEMBER_LOOK_SECONDS: seconds
    .default(10)
    .describe('Longest interval, in seconds, between two checks of a waiting composition'),
  POSTBACK_SCHEDULE_SECONDS: secondsList
    .default([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    .describe('Delay before each delivery attempt of a postback, in seconds; their number is the number of attempts'),
};

const transfers = {
  EGRESS_ALLOW: addressList
    .default([])
    .describe('Private `address:port` pairs that fetches and postbacks may reach, separated by commas'),
  FETCH_MAX_BYTES: count.default(50 * 1024 * 1024).describe('Maximum size of a fetched page or file, decompressed'),
  FETCH_RETRY_SECONDS: seconds.default(60).describe('How long a fetch with a temporary failure is retried, in seconds'),
  UPLOAD_MAX_BYTES: count.default(100 * 1024 * 1024).describe('Maximum size of an uploaded file'),
};

const extraction = {
  EXTRACTION_PROCESSES: count.default(availableParallelism()).meta({
    description: 'Documents that one worker reads concurrently, each in a child process',
    defaultText: 'number of cores',
  }),
  EXTRACTION_ISOLATION: z
    .enum(['namespaces', 'none'])
    .default('namespaces')
    .describe('Isolation of these processes: `namespaces` of Linux, or `none`'),
  EXTRACTION_TIMEOUT_SECONDS: seconds
    .default(60)
    .describe('Time limit of one document, in seconds; beyond it the source fails with `extraction_timeout`'),
  EXTRACTION_MEMORY_MB: count
    .default(768)
    .describe('Memory limit of one child process, in MiB; beyond it the source fails with `extraction_memory`'),
};

/**
 * Limits of one document. Their defaults are in extraction/limits.ts, where a limit has the name after EXTRACTION_MAX_
 * in camelCase.
 */
const documentLimits = {
  EXTRACTION_MAX_CHARACTERS: count.optional().describe('Characters (UTF-16 code units) of Markdown'),
  EXTRACTION_MAX_PAGES: count.optional().describe('Pages of a PDF, slides of a presentation'),
  EXTRACTION_MAX_CELLS: count.optional().describe('Cells of all sheets or tables, including empty ones between others'),
  EXTRACTION_MAX_ENTRIES: count.optional().describe('Files within a container (DOCX, EPUB), attachments of a mail'),
  EXTRACTION_MAX_INFLATED_BYTES: count.optional().describe('Bytes of all files within a container, decompressed'),
  EXTRACTION_MAX_NESTING: count
    .optional()
    .describe('Levels of nested objects, lists and messages; deeper elements of a page are flattened'),
  EXTRACTION_MAX_NODES: count.optional().describe('Elements and texts of a page or XML part'),
  EXTRACTION_MAX_ARTIFACTS: count.optional().describe('Artifacts (code blocks, tables and links) of a source'),
};

const retention = {
  RETENTION_SECONDS: seconds
    .default(30 * 24 * 3600)
    .describe('How long a deleted space or source can be restored, in seconds; then it is purged'),
  UPLOAD_RETENTION_SECONDS: seconds
    .default(24 * 3600)
    .describe('How long an upload that no source claims is kept, in seconds'),
  TICKET_RETENTION_SECONDS: seconds
    .default(30 * 24 * 3600)
    .describe('How long a sent support ticket and its run in Temporal are kept, in seconds'),
  SWEEP_SECONDS: seconds.default(3600).describe('Interval, in seconds, between sweeps of expired rows and objects'),
  OBJECT_GRACE_SECONDS: seconds
    .default(3600)
    .describe('How long a replaced object is kept for its readers, in seconds'),
};

const mail = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('Mail server: `smtp://[user:password@]host:port`; without it support tickets stay PENDING'),
  SUPPORT_MAILBOX: z.email().default('support@localhost.localdomain').describe('Recipient of support tickets'),
  MAIL_FROM: z.email().default('context-workspace@localhost.localdomain').describe('Sender of support tickets'),
};

const observation = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level of the log lines that are written'),
  METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address for `/health` and `/metrics` of a worker or a separate dispatcher'),
  METRICS_PORT: port.default(0).describe('Port for these; 0 means any free port'),
};

export const settingsSchema = z.object({
  ...postgresql,
  ...temporal,
  ...storage,
  ...secrets,
  ...api,
  ...limits,
  ...dispatcher,
  ...worker,
  ...transfers,
  ...extraction,
  ...documentLimits,
  ...retention,
  ...mail,
  ...observation,
});

const start = {
  DATA_FOLDER: z.string().optional().meta({
    description: 'Folder of all data of `npm start`; the demo uses a temporary folder',
    defaultText: '.data',
  }),
  POSTGRES_PORT: port.min(1).default(5433).describe('Port of the PostgreSQL that is started'),
  TEMPORAL_PORT: port.min(1).default(7233).describe('Port of the Temporal that is started'),
  TEMPORAL_UI_PORT: port.min(1).default(8233).describe('Port of its UI'),
  S3_PORT: port.min(1).default(7070).describe('Port of the S3 storage that is started'),
  SMTP_PORT: port.min(1).default(1025).describe('Port of the mail server that is started'),
};

/** Settings of `npm start` and the demo: ports, and addresses of servers that are then not started. */
export const startSchema = z.object({
  ...start,
  DATABASE_URL: postgresql.DATABASE_URL.optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_UI_URL: z.url().optional(),
  S3_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  SMTP_URL: mail.SMTP_URL,
  SECRETS_KEY: z
    .string()
    .refine((text) => secretsKey.safeParse(text).success, { error: SECRETS_KEY_FORM })
    .optional(),
  API_PORT: port.min(1).default(8080),
});

export interface SettingGroup {
  title: string;
  /** One sentence about the whole group, in Markdown. */
  about?: string;
  settings: Readonly<Record<string, z.ZodType>>;
}

/** The settings by subject, in the order of docs/settings.md. */
export const settingGroups: readonly SettingGroup[] = [
  { title: 'PostgreSQL', settings: postgresql },
  { title: 'Temporal', about: 'See [operations.md](operations.md#temporal).', settings: temporal },
  { title: 'S3 storage', settings: storage },
  { title: 'Secrets', about: 'See [operations.md](operations.md#secrets-in-the-database).', settings: secrets },
  { title: 'API', settings: api },
  { title: 'Rate limits and quotas', about: 'See [operations.md](operations.md#limits).', settings: limits },
  { title: 'Dispatcher and reconciler', settings: dispatcher },
  { title: 'Workers', about: 'See [operations.md](operations.md#workers).', settings: worker },
  { title: 'Fetches and uploads', settings: transfers },
  { title: 'Extraction', about: 'See [operations.md](operations.md#isolation).', settings: extraction },
  {
    title: 'Limits of a document',
    about: 'A document beyond one of these fails with `extraction_limit`. Its text is never cut.',
    settings: documentLimits,
  },
  { title: 'Retention', about: 'See [operations.md](operations.md#deletion-and-garbage).', settings: retention },
  { title: 'Mail', settings: mail },
  { title: 'Logs and metrics', settings: observation },
  {
    title: '`npm start` and `npm run demo`',
    about: 'Read by these two commands alone, in addition to the settings above.',
    settings: start,
  },
];
