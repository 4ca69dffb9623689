/** Programs on this machine. */
import { execFile } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';
import { promisify } from 'node:util';
import which from 'which';

const run = promisify(execFile);

export async function isExecutable(path: string): Promise<boolean> {
  return (await which(path, { nothrow: true })) !== null;
}

/** Returns the first executable `command` in the absolute folders of `path`, a PATH variable; ignores relative ones. */
export async function findExecutable(command: string, path: string | undefined): Promise<string | undefined> {
  const folders = (path ?? '').split(delimiter).filter(isAbsolute);
  // With an empty path, `which` looks in the working directory.
  if (folders.length === 0) return undefined;
  return (await which(command, { path: folders.join(delimiter), nothrow: true })) ?? undefined;
}

/** Whether `--version` succeeds, so that the program is of this architecture and no broken wrapper. */
export async function runsVersion(path: string): Promise<boolean> {
  return run(path, ['--version'], { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}
