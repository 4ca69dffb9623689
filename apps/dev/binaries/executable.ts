/** Programs on this machine. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function isExecutable(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => undefined);
  if (!file?.isFile()) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Returns the first executable `command` in the absolute folders of `path`, a PATH variable; ignores relative ones. */
export async function findExecutable(command: string, path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, command);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/** Whether `--version` succeeds, so that the program is of this architecture and no broken wrapper. */
export async function runsVersion(path: string): Promise<boolean> {
  return run(path, ['--version'], { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}
