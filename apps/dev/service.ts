/** Starts processes of the service over running servers: API (with dispatcher), worker, separate dispatcher. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../db/migrate.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { userCache } from './binaries/user-cache.ts';
import { freePort } from './servers/ports.ts';
import { type ServerProcess, startProcess } from './servers/process.ts';

const READY_WITHIN_MS = 60_000;
/** Longer than the worker's shutdownForceTime. */
const GRACE_MS = 45_000;

export interface ServiceProcessOptions {
  /** Unique name of the process; its log is `<dataFolder>/logs/<name>.log`. */
  name: string;
  dataFolder: string;
  /** Environment of the process: addresses of the servers, and settings that differ from their defaults. */
  settings: Readonly<Record<string, string>>;
  report: (line: string) => void;
}

async function startNode(
  main: string,
  healthUrl: string,
  { name, dataFolder, settings, report }: ServiceProcessOptions,
): Promise<ServerProcess> {
  return startProcess({
    name,
    dataFolder,
    command: process.execPath,
    // The folder among the arguments identifies the start that this process belongs to.
    args: [fileURLToPath(new URL(`../${main}/main.ts`, import.meta.url)), dataFolder],
    // Later starts reuse the compiled code.
    environment: { NODE_COMPILE_CACHE: join(userCache(process.env), 'compiled'), ...settings },
    graceMs: GRACE_MS,
    readyWithinMs: READY_WITHIN_MS,
    ready: async () => (await fetch(healthUrl)).ok,
    report,
  });
}

/** Adds the API's address to `settings`, on `port` or a free one. The worker needs it too, for links in postbacks. */
export async function withApiAddress(
  settings: Readonly<Record<string, string>>,
  port?: number,
): Promise<Record<string, string> & { API_PORT: string; PUBLIC_URL: string }> {
  const API_PORT = String(port ?? (await freePort()));
  return { API_HOST: '127.0.0.1', PUBLIC_URL: `http://127.0.0.1:${API_PORT}`, ...settings, API_PORT };
}

/** Starts the API on API_PORT of its settings, or a free port; returns when it is healthy. */
export async function startApi(options: ServiceProcessOptions): Promise<ServerProcess & { url: string }> {
  const { API_PORT: given } = options.settings;
  const settings = await withApiAddress(options.settings, given === undefined ? undefined : Number(given));
  const url = `http://127.0.0.1:${settings.API_PORT}`;
  return { ...(await startNode('api', `${url}/health`, { ...options, settings })), url };
}

async function startWithMetrics(main: 'worker' | 'dispatcher', options: ServiceProcessOptions) {
  const { METRICS_PORT = String(await freePort()) } = options.settings;
  const settings = { METRICS_HOST: '127.0.0.1', ...options.settings, METRICS_PORT };
  const url = `http://127.0.0.1:${METRICS_PORT}`;
  return { ...(await startNode(main, `${url}/health`, { ...options, settings })), url };
}

/** Default of EXTRACTION_ISOLATION on this platform. */
export const defaultIsolation = process.platform === 'linux' ? 'namespaces' : 'none';

/** Starts a worker and returns when it polls; `url` serves /metrics. */
export function startWorker(options: ServiceProcessOptions): Promise<ServerProcess & { url: string }> {
  const settings = { EXTRACTION_ISOLATION: defaultIsolation, ...options.settings };
  return startWithMetrics('worker', { ...options, settings });
}

/** Starts a separate dispatcher process; `url` serves /metrics. */
export function startDispatcherProcess(options: ServiceProcessOptions): Promise<ServerProcess & { url: string }> {
  return startWithMetrics('dispatcher', options);
}

/** Migrates the database and opens it. `secretsKey` encrypts secrets that an older schema stored in plain text. */
export async function openMigrated(url: string, secretsKey?: string): Promise<Database> {
  await migrate(
    url,
    secretsKey === undefined ? null : { SECRETS_KEY: Buffer.from(secretsKey, 'base64'), SECRETS_KEY_PREVIOUS: [] },
  );
  return openDatabase(url, 4);
}
