/**
 * `npm test [-- <what jest takes>]`, `npm run test:chaos` and `npm run test:dev`: starts everything once, runs jest over
 * it, and ends everything whatever happens, on Ctrl-C and SIGTERM too.
 */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { userCache } from '../../apps/dev/binaries/user-cache.ts';
import { startServers } from '../../apps/dev/servers/servers.ts';
import { openMigrated, startApi, startWorker, withApiAddress } from '../../apps/dev/service.ts';
import { createDatabase, MIGRATED_DATABASE } from './databases.ts';
import { startSite } from './site.ts';
import type { Stack } from './stack.ts';

/** Shorter than in life, so that tests of retries and repairs wait seconds; each promise keeps its own limit. */
const testSettings = {
  POSTBACK_SCHEDULE_SECONDS: '0,0.5,1,1',
  RECONCILER_SWEEP_SECONDS: '1',
  RECONCILER_GRACE_SECONDS: '3',
  FETCH_RETRY_SECONDS: '3',
  LOG_LEVEL: 'info',
  // The limiter is on; test/api/admission/rate-limits.test.ts has a service of its own with the owner's budgets.
  RATE_LIMIT_FREE: '1000000',
  RATE_LIMIT_PRO: '1000000',
  // All tests fetch from one host.
  QUOTA_HOST_FETCHES_PRO: '1000000',
  QUOTA_HOST_FETCHES_FREE: '1000000',
};

/** Of jest's processes and of what they fork. */
const compileCache = join(userCache(process.env), 'compiled');

const stops: (() => Promise<unknown>)[] = [];
let stopping: Promise<void> | undefined;

/** Ends what was started, the last first. */
function stopAll(): Promise<void> {
  stopping ??= (async () => {
    for (const stop of stops.splice(0).reverse()) await stop().catch((error: unknown) => console.error(error));
  })();
  return stopping;
}

/** Once for all workers of the suite. */
async function bundleWorkflows(file: string): Promise<string> {
  const script = fileURLToPath(new URL('../../apps/worker/bundle.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [script, file]);
  return file;
}

async function startStack(): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'context-workspace-test-'));
  stops.push(() => rm(dataFolder, { recursive: true, force: true }));
  const report = (line: string) => console.log(line);
  const bundling = bundleWorkflows(join(dataFolder, 'workflow-bundle.js'));
  const servers = await startServers({ dataFolder, durable: false, temporalUi: false, report });
  stops.push(() => servers.stop());
  const database = await openMigrated(servers.settings.DATABASE_URL ?? '');
  await database.close();
  // Before anybody is connected to what is copied.
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
  const stack: Stack = { dataFolder, settings, apiUrl: api.value.url, workerUrl: worker.value.url, siteUrl: site.url };
  const file = join(dataFolder, 'stack.json');
  await writeFile(file, JSON.stringify(stack));
  return file;
}

/** What jest's own result file says. */
const resultsSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numRuntimeErrorTestSuites: z.int(),
});

/** Runs jest once over the stack and adds its counts to `totals`. */
async function runJest(stackFile: string, args: string[], totals: { passed: number; failed: number }): Promise<number> {
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const results = `${stackFile}.results-${randomUUID()}.json`;
  const options = ['--json', '--outputFile', results, ...args];
  const child = spawn(process.execPath, ['--experimental-vm-modules', '--no-warnings', jest, ...options], {
    stdio: 'inherit',
    env: { ...process.env, TEST_STACK_FILE: stackFile, NODE_COMPILE_CACHE: compileCache },
  });
  const exited = once(child, 'exit');
  stops.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
  });
  await exited;
  const counts = resultsSchema.parse(JSON.parse(await readFile(results, 'utf8')));
  totals.passed += counts.numPassedTests;
  totals.failed += counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  return child.exitCode ?? 1;
}

/** Files whose promises are times run alone; before them the others, some at once. */
const timed =
  'test/service/(cancel[-a-z]*|failures|generations|operators|postbacks)[.]|api/(admission/hostile-requests|reads)[.]|dispatcher/outbox/failing-calls[.]|extraction/(linear|pool/pool-limits|hostile/(beside-)?hostile)[.]|dev/start';

/**
 * `npm test` tries the service, `npm run test:chaos` what becomes of it when its parts are broken on purpose,
 * `npm run test:dev` what developers start it with. The promises of chaos are a minute, which its files share well.
 */
const suites: Record<string, { files: string; timed?: string }> = {
  service: { files: 'test/(?!(dev|chaos)/)', timed },
  chaos: { files: 'test/chaos/' },
  dev: { files: 'test/dev/', timed },
};
/** jest matches whole paths: a folder named test above the project must not count. */
const root = fileURLToPath(new URL('../../', import.meta.url)).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function phasesOf({ files, timed }: { files: string; timed?: string }): string[][] {
  const all = `^${root}${files}`;
  if (timed === undefined) return [['--testPathPatterns', all]];
  return [
    ['--testPathPatterns', all, '--testPathIgnorePatterns', timed],
    ['--runInBand', '--testPathPatterns', `(?=.*(${timed}))${all}`],
  ];
}

async function runAll(stackFile: string): Promise<number> {
  const [name = '', ...chosen] = process.argv.slice(2);
  const suite = suites[name];
  if (suite === undefined) throw new Error(`There is no suite "${name}": ${Object.keys(suites).join(' or ')}.`);
  const totals = { passed: 0, failed: 0 };
  let exitCode = 0;
  const phases = chosen.length === 0 ? phasesOf(suite) : [[...(suite.timed ? ['--runInBand'] : []), ...chosen]];
  for (const args of phases) {
    exitCode = Math.max(exitCode, await runJest(stackFile, args, totals));
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return exitCode;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().finally(() => process.exit(130)));
}
let exitCode = 1;
try {
  exitCode = await runAll(await startStack());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  await stopAll();
}
process.exit(exitCode);
