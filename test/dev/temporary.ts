/** What tests of servers start and make, ended and removed after each test, also after one that failed. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const endings: (() => Promise<void>)[] = [];

/** Calls `end` after the test; later ones first. */
export function afterTest(end: () => Promise<void>): void {
  endings.push(end);
}

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** A folder of its own, mode 0700 as mkdtemp makes it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-test-'));
  afterTest(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until `condition` holds. @throws Error saying `what` did not come about within the limit. */
export async function until(what: string, condition: () => Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
    await delay(20);
  }
}

/** Command lines of all processes that name `text`, watchers among them. */
export async function processesNaming(text: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text)).map((line) => line.replaceAll('\0', ' '));
}
