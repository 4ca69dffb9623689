/** Starts a module in a Node process, isolated or not, with a channel to this process. */
import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { accessSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHANNEL } from './channel.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';

/**
 * `namespaces`: the process has no network and no capabilities, sees no other process, and has no files but Node, its
 * libraries and the code that it loads (isolate.sh; Linux only). `none`: it has all rights of this process's user.
 */
export type Isolation = 'namespaces' | 'none';

export const defaultIsolation: Isolation = process.platform === 'linux' ? 'namespaces' : 'none';

const project = fileURLToPath(new URL('../../', import.meta.url));
const script = fileURLToPath(new URL('./isolate.sh', import.meta.url));
/** Project files and folders that children of the pool load; an isolated child sees no others. */
const childCode = ['contract', 'extraction', 'node_modules', 'package.json'];
const toolFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

export interface LaunchOptions {
  isolation: Isolation;
  /** The module, relative to the project's folder. */
  module: string;
  args?: readonly string[];
  /** Command line options of Node. */
  execArgv?: readonly string[];
  /** Folder of Node's compile cache. `isWritable` says whether an isolated process may write to it. */
  compileCache?: { folder: string; isWritable: boolean };
}

export interface Launched {
  /** The spawned process. With isolation it waits for the process of Node; killing it ends both. */
  child: ChildProcess;
  channel: Socket;
  /** Process id of Node; with isolation undefined until Node is about to start. */
  pid: () => number | undefined;
}

/**
 * Starts the module. Its environment has LANG, NODE_ENV and NODE_COMPILE_CACHE only, because this process's environment
 * holds secrets. It ends with this process, also when this process is killed.
 * @throws Error where the system cannot start another process, or the libraries of Node are not found
 */
export function launch(options: LaunchOptions): Launched {
  return options.isolation === 'none' ? launchPlain(options) : launchIsolated(options);
}

function environment(cacheFolder: string | undefined): Record<string, string> {
  const own = { LANG: 'C.UTF-8', NODE_ENV: 'production' };
  return cacheFolder === undefined ? own : { ...own, NODE_COMPILE_CACHE: cacheFolder };
}

function launchPlain({ module, args = [], execArgv = [], compileCache }: LaunchOptions): Launched {
  const all = [...execArgv, join(project, module), ...args];
  const { child, channel } = start(process.execPath, all, environment(compileCache?.folder), 'ignore');
  return { child, channel, pid: () => child.pid };
}

function launchIsolated({ module, args = [], execArgv = [], compileCache }: LaunchOptions): Launched {
  // A module outside of these folders, such as a test's, is mounted too.
  const code = childCode.some((path) => module.startsWith(`${path}/`)) ? childCode : [...childCode, module];
  const { child, channel } = start(
    '/bin/sh',
    [
      script,
      'start',
      String(process.pid),
      process.execPath,
      project,
      code.join('\n'),
      sharedLibraries().join('\n'),
      compileCache?.folder ?? '',
      compileCache?.isWritable === true ? 'rw' : 'ro',
      ...execArgv,
      `/project/${module}`,
      ...args,
    ],
    environment(compileCache === undefined ? undefined : '/compiled'),
    'pipe',
  );
  let pid: number | undefined;
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('\n')) pid ??= Number.parseInt(output, 10);
  });
  return { child, channel, pid: () => pid };
}

function start(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  stdout: 'ignore' | 'pipe',
): Pick<Launched, 'child' | 'channel'> {
  const stdio: StdioOptions = ['ignore', stdout, 'pipe', 'pipe'];
  // Node cannot close inherited descriptors in a child, but it can replace them by pipes, which are closed here below.
  const inherited = inheritedDescriptors().filter((fd) => fd > CHANNEL);
  for (const fd of inherited) stdio[fd] = 'pipe';
  // In a separate session: a process may signal its whole process group, which must not include the worker.
  const child = spawn(command, args, { env, detached: true, stdio: Array.from(stdio, (one) => one ?? 'ignore') });
  const channel = child.stdio?.[CHANNEL];
  if (!(channel instanceof Socket)) {
    child.on('error', () => undefined);
    throw new Error('No file descriptors are left for the pipes of a child process.');
  }
  for (const fd of inherited) child.stdio[fd]?.destroy();
  return { child, channel };
}

let libraries: readonly string[] | undefined;

/** Absolute paths of the shared libraries of Node and of the tools that run in the new root, from ldd(1). */
function sharedLibraries(): readonly string[] {
  libraries ??= findSharedLibraries();
  return libraries;
}

function findSharedLibraries(): string[] {
  const binaries = [process.execPath, ...['chroot', 'setpriv'].map(findTool)];
  const listed = execFileSync('ldd', binaries, { encoding: 'utf8', env: { PATH: toolFolders.join(':'), LC_ALL: 'C' } });
  // `libc.so.6 => /lib/libc.so.6 (0x...)`, or `/lib64/ld-linux-x86-64.so.2 (0x...)`
  const paths = [...listed.matchAll(/^\s.*?(\/\S+) \(0x[0-9a-f]+\)$/gm)].flatMap(([, path]) => path ?? []);
  return [...new Set(paths)];
}

function findTool(name: string): string {
  const found = toolFolders.map((folder) => join(folder, name)).find(exists);
  if (found === undefined) throw new Error(`${name}(1) was not found in ${toolFolders.join(', ')}.`);
  return found;
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
