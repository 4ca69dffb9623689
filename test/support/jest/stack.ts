/**
 * The process that holds the servers of a test run: started by start-stack.js, it ends everything when its parent asks
 * for it or is gone, whatever ended it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServers } from '../../../apps/dev/servers/servers.ts';
import { openMigrated, startApi, startWorker, withApiAddress } from '../../../apps/dev/service.ts';
import { createDatabase, MIGRATED_DATABASE } from '../databases.ts';
import { startSite } from '../site.ts';
import type { Stack } from '../stack.ts';

/** Shorter than in production, so that tests of retries and repairs wait seconds; promised times keep their limits. */
const testSettings = {
  POSTBACK_SCHEDULE_SECONDS: '0,0.5,1,1',
  RECONCILER_SWEEP_SECONDS: '1',
  RECONCILER_GRACE_SECONDS: '3',
  FETCH_RETRY_SECONDS: '3',
  LOG_LEVEL: 'info',
  // The limiter is on; test/api/admission/rate-limits.test.ts has a service of its own with the default budgets.
  RATE_LIMIT_FREE: '1000000',
  RATE_LIMIT_PRO: '1000000',
  // All tests fetch from one host.
  QUOTA_HOST_FETCHES_PRO: '1000000',
  QUOTA_HOST_FETCHES_FREE: '1000000',
};

const stops: (() => Promise<unknown>)[] = [];

/** Stops everything, the last started first. Returns the errors. */
async function stopAll(): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const stop of stops.splice(0).reverse()) await stop().catch((error: unknown) => errors.push(error));
  return errors;
}

/** Bundles the workflows once for all workers of the run. */
async function bundleWorkflows(file: string): Promise<string> {
  const script = fileURLToPath(new URL('../../../apps/worker/bundle.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [script, file]);
  return file;
}

/** Returns the file that holds the addresses, as a Stack. */
async function start(): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'context-workspace-test-'));
  stops.push(() => rm(dataFolder, { recursive: true, force: true }));
  const report = (line: string) => console.log(line);
  const bundling = bundleWorkflows(join(dataFolder, 'workflow-bundle.js'));
  const servers = await startServers({ dataFolder, durable: false, temporalUi: false, report });
  stops.push(() => servers.stop());
  const database = await openMigrated(servers.settings.DATABASE_URL ?? '');
  await database.close();
  // A template can be copied only while nobody is connected to it.
  await createDatabase(servers.settings.DATABASE_URL ?? '', MIGRATED_DATABASE, 'context_workspace');
  const site = await startSite();
  stops.push(() => site.close());
  const settings = {
    ...servers.settings,
    ...testSettings,
    EGRESS_ALLOW: `127.0.0.1:${site.port}`,
    WORKFLOW_BUNDLE: await bundling,
  };
  const withAddress = await withApiAddress(settings);
  const started = await Promise.allSettled([
    startApi({ name: 'api', dataFolder, settings: withAddress, report }),
    startWorker({ name: 'worker', dataFolder, settings: withAddress, report }),
  ]);
  for (const process of started) if (process.status === 'fulfilled') stops.push(() => process.value.stop());
  const [api, worker] = started;
  if (api.status === 'rejected') throw api.reason;
  if (worker.status === 'rejected') throw worker.reason;
  stops.push(() => checkLogs(join(dataFolder, 'logs')));
  const stack: Stack = { dataFolder, settings, apiUrl: api.value.url, workerUrl: worker.value.url, siteUrl: site.url };
  const file = join(dataFolder, 'stack.json');
  await writeFile(file, JSON.stringify(stack));
  return file;
}

/** Events that no test of the shared processes provokes. Those that do use processes of their own. */
const unexpected = /"event":"(request\.failed|uncaught[^"]*)"|"code":"internal"/;

/** @throws Error when a shared process logged a failure of its own */
async function checkLogs(folder: string): Promise<void> {
  const lines: string[] = [];
  for (const name of ['api', 'worker']) {
    const log = await readFile(join(folder, `${name}.log`), 'utf8');
    lines.push(
      ...log
        .split('\n')
        .filter((line) => unexpected.test(line))
        .map((line) => `${name}: ${line}`),
    );
  }
  if (lines.length > 0)
    throw new Error(`The service logged ${lines.length} failures:\n${lines.slice(0, 20).join('\n')}`);
}

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  const errors = await stopAll();
  for (const error of errors) console.error(error instanceof Error ? error.message : error);
  process.exit(errors.length > 0 ? 1 : 0);
}

process.once('disconnect', stop);
process.once('message', stop);
// Ctrl-C in a terminal reaches this process too: it ends after its parent.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
try {
  const file = await start();
  process.send?.(file);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await stopAll();
  process.exit(1);
}
