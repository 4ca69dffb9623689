/** The worker checks the isolation first when it starts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from '../../../extraction/pool/launch.ts';
import { IsolationError, tryIsolation } from '../../../extraction/pool/try-isolation.ts';
import { until } from '../../support/until.ts';

const main = join(import.meta.dirname, '../../../apps/worker/main.ts');
/** Emulates a machine that forbids user namespaces. */
const FORBID_NAMESPACES = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
/** Nothing listens at these addresses; the worker never connects in these tests. */
const settings = {
  DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none',
  S3_ENDPOINT: 'http://127.0.0.1:9',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
};

let started: ChildProcess | undefined;
afterEach(async () => {
  if (started?.exitCode === null && started.signalCode === null && started.kill('SIGKILL')) await once(started, 'exit');
});

function startWorker(isolation: string): { output: () => string; ended: Promise<unknown> } {
  const child = spawn(
    'unshare',
    ['--user', '--map-root-user', '/bin/sh', '-c', FORBID_NAMESPACES, 'sh', process.execPath, main],
    {
      env: { PATH: process.env.PATH, ...settings, EXTRACTION_ISOLATION: isolation },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  started = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return { output: () => output, ended: once(child, 'close').then(() => child.exitCode) };
}

test('without user namespaces the worker does not start and names the setting, the reason and the remedy', async () => {
  const worker = startWorker('namespaces');
  expect(await worker.ended).toBe(78);
  expect(worker.output()).toMatch(/^EXTRACTION_ISOLATION is "namespaces", .* unshare: .*No space left on device/);
  expect(worker.output()).toContain('docs/operations.md');
  expect(worker.output()).toContain('EXTRACTION_ISOLATION=none');
});

test('with EXTRACTION_ISOLATION=none it starts there and logs extraction.not_isolated', async () => {
  const worker = startWorker('none');
  await until('it logs the event', async () => worker.output().includes('extraction.not_isolated'));
});

test('a check that times out reports the timeout, and does not blame the machine’s namespaces', async () => {
  const error: unknown = await tryIsolation({ readyWithinMs: 1 }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(IsolationError);
  expect(error).toMatchObject({ message: expect.stringContaining('was not ready within 0.001 s') });
  expect(error).toMatchObject({ message: expect.not.stringContaining('namespaces and mount') });
});

/** Returns the pids of processes whose command line contains a word. */
function processesWith(word: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
      } catch {
        return false;
      }
    });
}

test('an isolated child that is killed at any time of its start leaves no process behind', async () => {
  const word = `marked-${process.pid}`;
  let seen = 0;
  for (let step = 0; step < 30; step += 1) {
    const { child } = launch({ isolation: 'namespaces', module: 'extraction/pool/child.ts', args: ['{}', word] });
    const deadline = performance.now() + 4 * step;
    while (performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    seen += processesWith(word).length;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  // Some were killed during the start: a running child is three processes.
  expect(seen).toBeGreaterThan(30);
  await until('all have exited', async () => processesWith(word).length === 0);
});
