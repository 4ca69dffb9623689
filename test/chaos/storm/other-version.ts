/** The earlier version of the service whose worker and API run beside the present ones in a storm. */
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The oldest commit that can run beside the present one. Earlier ones store contexts in another form, claim by a function
 * that is gone, and cannot read secrets that are encrypted.
 */
export const OTHER_VERSION = '9557186';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/**
 * Puts that version's files into `folder`, with the present packages.
 * @throws Error with advice when git does not know the commit.
 */
export async function checkOutOtherVersion(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const repository = process.env.STORM_REPOSITORY ?? project;
  const archive = join(folder, 'source.tar');
  await run('git', ['-C', repository, 'archive', '--output', archive, OTHER_VERSION]).catch((error: unknown) => {
    throw new Error(
      `git has no commit ${OTHER_VERSION}, which a storm runs beside the present version. A shallow clone does not ` +
        'hold it: run "git fetch --unshallow", or leave it out with --without "two versions".',
      { cause: error },
    );
  });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
}
