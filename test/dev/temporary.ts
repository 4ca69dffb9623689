/** Cleanup of processes and folders after each test, also after one that failed. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const cleanups: (() => Promise<void>)[] = [];

/** Calls `cleanup` after the test; the last registered one first. */
export function afterTest(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Creates a temporary folder of mode 0700, removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-test-'));
  afterTest(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until `condition` is true. @throws Error with `description` if it is not within `withinMs`. */
export async function until(description: string, condition: () => Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${description}.`);
    await delay(20);
  }
}

/** Command lines of all processes that contain `text`, those of watchers too. */
export async function processesNaming(text: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text)).map((line) => line.replaceAll('\0', ' '));
}
