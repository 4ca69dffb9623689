/** Earlier version of the service whose worker and API run together with the present ones. */
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The oldest compatible commit. Workers of earlier ones cannot replay the run of a short text, whose extraction is a
 * local activity.
 */
export const OTHER_VERSION = 'e301356';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/**
 * Extracts that version's files to `folder` and links the present node_modules.
 * @throws Error with a remedy when git does not have the commit.
 */
export async function checkOutOtherVersion(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const repository = process.env.STORM_REPOSITORY ?? project;
  const archive = join(folder, 'source.tar');
  await run('git', ['-C', repository, 'archive', '--output', archive, OTHER_VERSION]).catch((error: unknown) => {
    throw new Error(
      `git has no commit ${OTHER_VERSION}, the earlier version of the chaos run. A shallow clone lacks it: ` +
        'run "git fetch --unshallow", or omit the fault with --without "two versions".',
      { cause: error },
    );
  });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
}
