/** `npm start` and the demo as child processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { settingNames } from '../../platform/config.ts';
import { afterTest, processesNaming, until } from './temporary.ts';

export interface Spawned {
  /** Output so far, stdout and stderr. */
  output(): string;
  signal(name: 'SIGINT' | 'SIGTERM'): void;
  /** Waits until `text` was printed. */
  prints(text: string, withinMs?: number): Promise<void>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

/**
 * Runs apps/dev/<script> with settings added to the environment. After the test it is killed if it still runs, and all
 * processes whose command line has `folder` must have ended.
 */
export function spawned(
  script: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Spawned {
  const main = join(import.meta.dirname, '../../apps/dev', script);
  // Settings of the environment of the test run are removed.
  const unset = settingNames.flatMap((name) => ['-u', name]);
  const environment = [...unset, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)];
  // env(1) becomes the program, so the process id and its signals are the program's.
  const child = spawn('env', [...environment, process.execPath, main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(() => child.exitCode);
  afterTest(async () => {
    child.kill('SIGKILL');
    await ended;
    await until('all its processes have ended', async () => (await processesNaming(folder)).length === 0, 60_000);
  });
  return {
    output: () => output,
    signal: (name) => child.kill(name),
    async prints(text, withinMs = 60_000) {
      await until(
        `"${text}" is printed`,
        async () => {
          if (output.includes(text)) return true;
          if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${output}`);
          return false;
        },
        withinMs,
      );
    },
    ended,
  };
}
