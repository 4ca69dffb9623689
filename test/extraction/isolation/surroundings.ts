/** Environments in which the tests start a worker. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');

/** An unprivileged user that owns no files; the image's user `node` has the same id. */
const UID = '1000';
const asUser = `setpriv --reuid ${UID} --regid ${UID} --clear-groups`;

/** $1: an empty folder that every user can enter. Other arguments: the command, with the project at `$1/project`. */
const USER = `set -eu
mkdir -p "$1/project"
mount --bind "$PROJECT" "$1/project"
shift
cd /
exec ${asUser} "$@"`;

/**
 * Reproduces the container of the worker of docker-compose.yml without Docker: the user, no-new-privileges, an empty
 * capability bounding set, a read-only root, /tmp in memory, masked and read-only paths of /proc, read-only /sys, a PID
 * namespace. Not reproduced: seccomp, AppArmor, cgroups, the container network.
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
# Consumes low pids, so that the worker's pids do not occur in the child's namespace.
for tens in 1 2 3; do for ones in 0 1 2 3 4 5 6 7 8 9; do for more in 0 1 2 3 4 5 6 7 8 9; do (:); done; done; done
# The worker is not process 1, as with tini.
${asUser} --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
exit "$?"`;

export interface Surroundings {
  /** The program and its first arguments; the arguments of Node follow. */
  command: readonly string[];
  /** Path of the project in this environment. */
  project: string;
  environment: Readonly<Record<string, string>>;
  /** Removes the temporary files of the environment. */
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

/** The user that runs the tests. */
export async function asCaller(): Promise<Surroundings> {
  return { command: [process.execPath], project, environment: {}, leave: async () => undefined };
}

export const asUnprivilegedUser = () => asRootMay(USER);
export const asContainer = () => asRootMay(CONTAINER, '--pid', '--fork', '--kill-child=KILL');

export interface Planted {
  /** Name of a project file that contains the secret. */
  file: string;
  /** Path in the project of a code folder that every user can write to. */
  folder: string;
  remove: () => Promise<void>;
}

/** Creates the project files that the attacks target and use. */
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
