/**
 * `npm run demo [-- --keep]`: the whole service in a temporary folder on free ports, and a client that shows what it
 * does. Exit code 0 only if every expectation of demo/scenario.ts held. With --keep everything stays up until Ctrl-C.
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
import type { ActSettings } from './demo/settings.ts';
import { aborted, interruptSignal } from './interrupt.ts';
import { freePort } from './servers/ports.ts';
import { findBinaries, type RunningStack, startStack } from './stack.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const outcomeSchema = z.object({ passed: z.boolean() });

/** Starts everything. The database is always one of the demo's own: what is given may hold what people need. */
async function startForDemo(dataFolder: string, sitePort: number, signal: AbortSignal): Promise<RunningStack> {
  const { DATABASE_URL: _, service, ...given } = loadStartSettings();
  // On a given Temporal, other workers must not take the demo's tasks.
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

/** The acting process; the folder is there to tell it from those of other demos. */
function startActing(settings: ActSettings, dataFolder: string): ChildProcess {
  const child = fork(fileURLToPath(new URL('demo/scenario.ts', import.meta.url)), [dataFolder]);
  child.send(settings);
  return child;
}

/** Whether every expectation held, once the acting process says so; false when it ends without a word. */
async function outcomeOf(child: ChildProcess): Promise<boolean> {
  const message = once(child, 'message').then(([value]) => outcomeSchema.parse(value).passed);
  return Promise.race([message, once(child, 'exit').then(() => false)]);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exited;
}

async function show(dataFolder: string, keep: boolean, signal: AbortSignal): Promise<number> {
  const sitePort = await freePort();
  const stack = await startForDemo(dataFolder, sitePort, signal);
  const { apiUrl, key } = stack;
  const temporalUiUrl = stack.settings.TEMPORAL_UI_URL;
  say(`\n  API          ${apiUrl}/v1\n  Temporal UI  ${temporalUiUrl ?? 'none'}\n  API key      ${key}\n`);
  const acting = startActing({ apiUrl, key, temporalUiUrl, port: sitePort, keep }, dataFolder);
  const gone = Promise.race([aborted(signal).then(() => 130), stack.ended.then(() => 1)]);
  try {
    const exitCode = await Promise.race([outcomeOf(acting).then((passed) => (passed ? 0 : 1)), gone]);
    if (!keep || signal.aborted || exitCode === 130) return exitCode;
    say(`All stays up until Ctrl-C. Logs are in ${join(dataFolder, 'logs')}.`);
    return (await gone) === 130 ? exitCode : 1;
  } finally {
    if (signal.aborted) say('');
    await end(acting);
    await stack.stop();
  }
}

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
  const signal = interruptSignal();
  let begun = Date.now();
  const dataFolder = await mkdtemp(join(tmpdir(), 'context-workspace-demo-'));
  let exitCode: number;
  try {
    // What is made once and for all is none of the demo's time.
    await findBinaries(loadStartSettings(), { report: say, signal });
    begun = Date.now();
    exitCode = await show(dataFolder, values.keep, signal);
  } catch (error) {
    if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    exitCode = signal.aborted ? 130 : 1;
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
  const took = `${((Date.now() - begun) / 1000).toFixed(1)} s`;
  if (exitCode === 0) say(`\nEvery expectation held. The demo took ${took} and left nothing behind.`);
  else if (exitCode !== 130) say(`\nThe demo failed after ${took}. It left nothing behind.`);
  return exitCode;
}

process.exit(await run());
