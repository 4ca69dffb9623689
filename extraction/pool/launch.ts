/** Starts a module in a Node process with a channel to this one, isolated from all else or not. */
import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { accessSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHANNEL } from './channel.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';

/**
 * `namespaces`: the process has no network, no other process, no file but Node, the code that it loads and its libraries, and
 * no capability (isolate.sh; Linux alone). `none`: it may do what the user that runs this process may.
 */
export type Isolation = 'namespaces' | 'none';

/** Where nothing else was asked for. */
export const defaultIsolation: Isolation = process.platform === 'linux' ? 'namespaces' : 'none';

const project = fileURLToPath(new URL('../../', import.meta.url));
const script = fileURLToPath(new URL('./isolate.sh', import.meta.url));
/** Of the project, what children of the pool load; an isolated one sees nothing else of it. */
const childCode = ['contract', 'extraction', 'node_modules', 'package.json'];
const toolFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

export interface LaunchOptions {
  isolation: Isolation;
  /** The module, relative to the project's folder. */
  module: string;
  args?: readonly string[];
  /** Options of Node itself. */
  execArgv?: readonly string[];
  /** Node's compile cache; an isolated process may only add to it where `isWritable` says so. */
  compiled?: { folder: string; isWritable: boolean };
}

export interface Launched {
  /** The process that was spawned; isolated, it waits for Node's, and both end when it is killed. */
  child: ChildProcess;
  channel: Socket;
  /** Node's process id; isolated, undefined until it is about to run. */
  pid: () => number | undefined;
}

/**
 * Starts the module. Its environment is LANG and NODE_ENV: ours, which holds secrets, does not go there. It ends with this
 * process, however that ends.
 * @throws where the system has no room for another process, or the libraries of Node are not found
 */
export function launch(options: LaunchOptions): Launched {
  return options.isolation === 'none' ? launchPlain(options) : launchIsolated(options);
}

function environment(compiled: string | undefined): Record<string, string> {
  const own = { LANG: 'C.UTF-8', NODE_ENV: 'production' };
  return compiled === undefined ? own : { ...own, NODE_COMPILE_CACHE: compiled };
}

function launchPlain({ module, args = [], execArgv = [], compiled }: LaunchOptions): Launched {
  const all = [...execArgv, join(project, module), ...args];
  const { child, channel } = start(process.execPath, all, environment(compiled?.folder), 'ignore');
  return { child, channel, pid: () => child.pid };
}

function launchIsolated({ module, args = [], execArgv = [], compiled }: LaunchOptions): Launched {
  // A module from elsewhere, such as a test's, is shown too.
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
      compiled?.folder ?? '',
      compiled?.isWritable === true ? 'rw' : 'ro',
      ...execArgv,
      `/project/${module}`,
      ...args,
    ],
    environment(compiled === undefined ? undefined : '/compiled'),
    'pipe',
  );
  let pid: number | undefined;
  let told = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    told += text;
    if (told.includes('\n')) pid ??= Number.parseInt(told, 10);
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
  // Node cannot close them in the new process, but it can put a pipe in their place, whose other end is closed here.
  const inherited = inheritedDescriptors().filter((fd) => fd > CHANNEL);
  for (const fd of inherited) stdio[fd] = 'pipe';
  // A session of its own: a process may signal all of its group, and the worker is not to be among them.
  const child = spawn(command, args, { env, detached: true, stdio: Array.from(stdio, (one) => one ?? 'ignore') });
  const channel = child.stdio?.[CHANNEL];
  if (!(channel instanceof Socket)) {
    child.on('error', () => undefined);
    throw new Error('There are no descriptors left for the pipes of a process.');
  }
  for (const fd of inherited) child.stdio[fd]?.destroy();
  return { child, channel };
}

let libraries: readonly string[] | undefined;

/** What Node and the tools that run in the new root are linked with: absolute paths, as ldd(1) finds them. */
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
  if (found === undefined) throw new Error(`There is no ${name}(1) in ${toolFolders.join(', ')}.`);
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
