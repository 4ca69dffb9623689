/** `npm start` and the demo as people run them: processes that print, and end by themselves or by Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { settingNames } from '../../platform/config.ts';
import { afterTest, processesNaming, until } from './temporary.ts';

export interface Spawned {
  /** What was printed so far, to both outputs. */
  output(): string;
  signal(name: 'SIGINT' | 'SIGTERM'): void;
  /** Waits until `text` was printed. */
  prints(text: string, withinMs?: number): Promise<void>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

/**
 * Runs apps/dev/<script> with settings added to the environment. After the test it is killed if it still runs, and
 * so is everything that names `folder`.
 */
export function spawned(
  script: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Spawned {
  const main = join(import.meta.dirname, '../../apps/dev', script);
  // Servers that the one who runs the tests has set are none of ours.
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
    await until('everything of it has ended', async () => (await processesNaming(folder)).length === 0, 60_000);
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
