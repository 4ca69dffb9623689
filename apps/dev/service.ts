/** The service's own processes over running servers: the API (with dispatcher), workers, dispatchers of their own. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../db/migrate.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { userCache } from './binaries/user-cache.ts';
import { freePort } from './servers/ports.ts';
import { type ServerProcess, startProcess } from './servers/process.ts';

const READY_WITHIN_MS = 60_000;
/** Longer than the worker's own grace for activities (shutdownForceTime). */
const GRACE_MS = 45_000;

export interface ServiceProcessOptions {
  /** Distinguishes several processes of a kind; the log is `<dataFolder>/logs/<name>.log`. */
  name: string;
  dataFolder: string;
  /** Environment of the process: the addresses of the servers and whatever settings differ from their defaults. */
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
    // The folder is there to tell this process from those of other starts.
    args: [fileURLToPath(new URL(`../${main}/main.ts`, import.meta.url)), dataFolder],
    // Every start after the first one compiles nothing anew.
    environment: { NODE_COMPILE_CACHE: join(userCache(process.env), 'compiled'), ...settings },
    graceMs: GRACE_MS,
    readyWithinMs: READY_WITHIN_MS,
    ready: async () => (await fetch(healthUrl)).ok,
    report,
  });
}

/** `settings` with the API's address, on `port` or any free one: the worker needs it too, for links in postbacks. */
export async function withApiAddress(
  settings: Readonly<Record<string, string>>,
  port?: number,
): Promise<Record<string, string> & { API_PORT: string; PUBLIC_URL: string }> {
  const API_PORT = String(port ?? (await freePort()));
  return { API_HOST: '127.0.0.1', PUBLIC_URL: `http://127.0.0.1:${API_PORT}`, ...settings, API_PORT };
}

/** Starts the API at the address in its settings, or on a free port, and returns its address once it answers. */
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

/** How a worker on this machine isolates what reads documents, where nothing else is set. */
export const isolationHere = process.platform === 'linux' ? 'namespaces' : 'none';

/** Starts a worker and returns once it polls; `url` serves its /metrics. */
export function startWorker(options: ServiceProcessOptions): Promise<ServerProcess & { url: string }> {
  const settings = { EXTRACTION_ISOLATION: isolationHere, ...options.settings };
  return startWithMetrics('worker', { ...options, settings });
}

/** Starts a dispatcher of its own. */
export function startDispatcherProcess(options: ServiceProcessOptions): Promise<ServerProcess & { url: string }> {
  return startWithMetrics('dispatcher', options);
}

/** Opens the database, brought to the newest schema. `secretsKey` encrypts what an older schema held in plain. */
export async function openMigrated(url: string, secretsKey?: string): Promise<Database> {
  await migrate(
    url,
    secretsKey === undefined ? null : { SECRETS_KEY: Buffer.from(secretsKey, 'base64'), SECRETS_KEY_PREVIOUS: [] },
  );
  return openDatabase(url, 4);
}
