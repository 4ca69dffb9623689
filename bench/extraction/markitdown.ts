/** Runs markitdown in its own virtual environment, which is created if missing. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { userCache } from '../../apps/dev/binaries/user-cache.ts';
import { peakMiB } from '../../test/support/processes.ts';

export const MARKITDOWN_VERSION = '0.1.8';
/** Optional formats that need no remote service. */
const extras = 'docx,pptx,xlsx,xls,pdf,outlook';
const script = fileURLToPath(new URL('./convert_files.py', import.meta.url));
const run = promisify(execFile);

const resultSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), ms: z.number(), text: z.string() }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
  z.object({ kind: z.literal('unsupported') }),
]);
export type MarkitdownResult = z.infer<typeof resultSchema>;

/**
 * Installs markitdown by pip on first use, and returns the path of the environment's Python.
 * @throws when Python or pip fails.
 */
export async function installMarkitdown(report: (line: string) => void): Promise<string> {
  const folder = join(userCache(process.env), `markitdown-${MARKITDOWN_VERSION}`);
  const python = join(folder, 'bin', 'python');
  const finished = join(folder, 'installed');
  const isInstalled = await access(finished).then(
    () => true,
    () => false,
  );
  if (isInstalled) return python;
  report(`Installing markitdown ${MARKITDOWN_VERSION} in ${folder}, about a minute.`);
  // Restarts an interrupted installation from scratch.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(python, [...pip, `markitdown[${extras}]==${MARKITDOWN_VERSION}`], { maxBuffer: 2 ** 26 });
  await writeFile(finished, '');
  return python;
}

export interface Markitdown {
  convert(path: string): Promise<MarkitdownResult>;
  /** Peak resident memory of the process so far, in MiB. */
  peakMiB(): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** Starts a Python process that converts files sequentially. */
export function startMarkitdown(python: string): Markitdown {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  return {
    async convert(path) {
      child.stdin.write(`${JSON.stringify(path)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The markitdown process exited while it converted ${path}.`);
      return resultSchema.parse(JSON.parse(value));
    },
    peakMiB: async () => (child.pid === undefined ? undefined : peakMiB(child.pid)),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
