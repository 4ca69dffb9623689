/** In what a worker runs: the ways in which the tests start one. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');

/** A user that owns nothing of the machine; the image's `node` has the same id. */
const UID = '1000';
const asUser = `setpriv --reuid ${UID} --regid ${UID} --clear-groups`;

/** $1: an empty folder that everybody may enter. The rest: what to run, with the project's path as `$1/project`. */
const USER = `set -eu
mkdir -p "$1/project"
mount --bind "$PROJECT" "$1/project"
shift
cd /
exec ${asUser} "$@"`;

/**
 * What Docker makes of the worker of docker-compose.yml, as far as it goes without Docker: the user, no-new-privileges,
 * no capability in the bounding set, a root that cannot be written to, /tmp in memory, the paths of /proc that it
 * masks or makes read-only, /sys read-only, a PID namespace. Not: seccomp, AppArmor, cgroups, the network of a container.
 */
const CONTAINER = `set -eu
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir -p "$1/project"
mount -o bind,ro "$PROJECT" "$1/project"
shift
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec kept "$TEMPORARY"
mount -t proc proc /proc
for path in /proc/bus /proc/fs /proc/irq /proc/sys /proc/sysrq-trigger; do
  [ ! -e $path ] || { mount --bind $path $path && mount -o remount,bind,ro,nosuid,nodev,noexec $path; }
done
for path in /proc/kcore /proc/keys /proc/timer_list; do [ ! -e $path ] || mount --bind /dev/null $path; done
for path in /proc/acpi /proc/scsi; do [ ! -e $path ] || mount -t tmpfs -o ro tmpfs $path; done
mount -o remount,bind,ro /sys
mount -o remount,bind,ro /
cd /
export TMPDIR="$TEMPORARY"
# No process id of the worker's is one of the child's own namespace.
for tens in 1 2 3; do for ones in 0 1 2 3 4 5 6 7 8 9; do for more in 0 1 2 3 4 5 6 7 8 9; do (:); done; done; done
# Process 1 is another one, as tini is.
${asUser} --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
exit "$?"`;

export interface Surroundings {
  /** The program and its first arguments; what follows is what Node is given. */
  command: readonly string[];
  /** Where the project is, seen from there. */
  project: string;
  environment: Readonly<Record<string, string>>;
  /** Removes what was made for it. */
  leave: () => Promise<void>;
}

function nodeIn(place: string): string {
  const inProject = relative(project, process.execPath);
  return inProject.startsWith('..') ? process.execPath : join(place, inProject);
}

async function foldersFor(): Promise<{ folder: string; temporary: string; leave: () => Promise<void> }> {
  const outer = await mkdtemp(join(tmpdir(), 'surroundings-'));
  const [folder, temporary] = [join(outer, 'app'), join(outer, 'tmp')];
  for (const path of [folder, temporary]) await mkdir(path);
  await chmod(outer, 0o755);
  return { folder, temporary, leave: () => rm(outer, { recursive: true, force: true }) };
}

async function asRootMay(script: string, ...namespaces: readonly string[]): Promise<Surroundings> {
  const { folder, temporary, leave } = await foldersFor();
  const place = join(folder, 'project');
  return {
    command: ['unshare', '--mount', ...namespaces, '/bin/sh', '-c', script, 'sh', folder, nodeIn(place)],
    project: place,
    environment: { PROJECT: project, TEMPORARY: temporary },
    leave,
  };
}

/** As whoever runs the tests. */
export async function asCaller(): Promise<Surroundings> {
  return { command: [process.execPath], project, environment: {}, leave: async () => undefined };
}

export const asUnprivilegedUser = () => asRootMay(USER);
export const asContainer = () => asRootMay(CONTAINER, '--pid', '--fork', '--kill-child=KILL');

export interface Planted {
  /** A file of the project that holds the secret, by its name there. */
  file: string;
  /** A folder of the project's code that everybody may write to, by its path there. */
  folder: string;
  remove: () => Promise<void>;
}

/** Puts into the project what the attacks look for and need. */
export async function plant(secret: string, writeProgram: (path: string) => void): Promise<Planted> {
  const cache = join(project, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'isolation-'));
  await chmod(folder, 0o777);
  writeProgram(join(folder, 'system-call'));
  const file = join(project, `.env.${basename(folder)}`);
  await writeFile(file, `SECRET=${secret}\n`);
  await chmod(file, 0o644);
  return {
    file: basename(file),
    folder: relative(project, folder),
    remove: async () => {
      await Promise.all([rm(folder, { recursive: true, force: true }), rm(file, { force: true })]);
    },
  };
}
