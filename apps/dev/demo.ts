/**
 * `npm run demo [-- --keep]`: runs the whole service in a temporary folder on free ports, and a client scenario against
 * it. Exit code 0 only if every expectation of demo/scenario.ts is met. With --keep all runs until Ctrl-C.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { loadStartSettings } from '../../platform/config.ts';
import type { ScenarioSettings } from './demo/settings.ts';
import { aborted, interruptSignal } from './interrupt.ts';
import { freePort } from './servers/ports.ts';
import { findBinaries, type RunningStack, startStack } from './stack.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const resultSchema = z.object({ passed: z.boolean() });

/** Starts the stack, always with a new database: the given DATABASE_URL may hold real data. */
async function startForDemo(dataFolder: string, sitePort: number, signal: AbortSignal): Promise<RunningStack> {
  const { DATABASE_URL: _, service, ...given } = loadStartSettings();
  // On a shared Temporal, other workers must not receive the demo's tasks.
  const shared = { TEMPORAL_TASK_QUEUE: `demo-${process.pid}` };
  return startStack({
    dataFolder,
    durable: false,
    given,
    service: { ...service, ...shared, EGRESS_ALLOW: `127.0.0.1:${sitePort}`, RATE_LIMIT_PRO: '10000' },
    findKey: async (database) =>
      (await createUser(database.pool, { email: 'demo@localhost.localdomain', name: 'Demo', plan: 'pro' })).key,
    report: say,
    signal,
  });
}

/** Starts the scenario's process. The folder among its arguments identifies the demo that it belongs to. */
function startScenario(settings: ScenarioSettings, dataFolder: string): ChildProcess {
  const child = fork(fileURLToPath(new URL('demo/scenario.ts', import.meta.url)), [dataFolder]);
  child.send(settings);
  return child;
}

/** Returns whether every expectation was met, as the scenario's process reports; false if it exits without a report. */
async function resultOf(child: ChildProcess): Promise<boolean> {
  const message = once(child, 'message').then(([value]) => resultSchema.parse(value).passed);
  return Promise.race([message, once(child, 'exit').then(() => false)]);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exited;
}

async function runDemo(dataFolder: string, keep: boolean, signal: AbortSignal): Promise<number> {
  const sitePort = await freePort();
  const stack = await startForDemo(dataFolder, sitePort, signal);
  const { apiUrl, key } = stack;
  const temporalUiUrl = stack.settings.TEMPORAL_UI_URL;
  say(`\n  API          ${apiUrl}/v1\n  Temporal UI  ${temporalUiUrl ?? 'none'}\n  API key      ${key}\n`);
  const scenario = startScenario({ apiUrl, key, temporalUiUrl, port: sitePort, keep }, dataFolder);
  const ended = Promise.race([aborted(signal).then(() => 130), stack.ended.then(() => 1)]);
  try {
    const exitCode = await Promise.race([resultOf(scenario).then((passed) => (passed ? 0 : 1)), ended]);
    if (!keep || signal.aborted || exitCode === 130) return exitCode;
    say(`The service runs until Ctrl-C. Logs: ${join(dataFolder, 'logs')}.`);
    return (await ended) === 130 ? exitCode : 1;
  } finally {
    if (signal.aborted) say('');
    await end(scenario);
    await stack.stop();
  }
}

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
  const signal = interruptSignal();
  let startedAt = Date.now();
  const dataFolder = await mkdtemp(join(tmpdir(), 'context-workspace-demo-'));
  let exitCode: number;
  try {
    // Binaries are built once; that is not part of the demo's time.
    await findBinaries(loadStartSettings(), { report: say, signal });
    startedAt = Date.now();
    exitCode = await runDemo(dataFolder, values.keep, signal);
  } catch (error) {
    if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    exitCode = signal.aborted ? 130 : 1;
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
  const took = `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  if (exitCode === 0) say(`\nAll expectations are met. The demo took ${took} and left nothing behind.`);
  else if (exitCode !== 130) say(`\nThe demo failed after ${took}. It left nothing behind.`);
  return exitCode;
}

process.exit(await run());
