/**
 * Attacks by code that has taken over a child of the pool. Runs in place of child.ts, started by the same launcher, and
 * imports only Node and the channel.
 */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, type NetConnectOpts, Socket } from 'node:net';
import { basename, join } from 'node:path';
import { CHANNEL, receiveMessages, sendMessage } from '../../../extraction/pool/channel.ts';
import type { Outcomes, Targets } from './targets.ts';

/** Succeeds unless it throws. */
type Attack = (targets: Targets) => unknown;

/** System call numbers of x86-64, and constants of the kernel's headers. */
const SYS = { mount: 165, ptrace: 101, chroot: 161, unshare: 272, kill: 62, setns: 308 };
const PTRACE_SEIZE = 0x4206;
const CLONE_NEWNS = 0x0002_0000;
const CLONE_NEWUSER = 0x1000_0000;
/** Timeout of network responses. */
const RESPONSE_MS = 2_000;

function require(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

function systemCall({ systemCall: program }: Targets, ...args: (number | string)[]): void {
  const { status, error } = spawnSync(program, args.map(String));
  if (error !== undefined) throw error;
  require(status === 0, `errno ${status}`);
}

function processes(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function findSecret(files: readonly string[], secret: string): void {
  const refusals: string[] = [];
  for (const file of files) {
    try {
      if (readFileSync(file).includes(secret)) return;
    } catch (error) {
      refusals.push(error instanceof Error && 'code' in error ? String(error.code) : String(error));
    }
  }
  throw new Error(`not in ${files.length} files (${[...new Set(refusals)].join(', ')})`);
}

/** Searches the writable mappings of a process. */
function searchMemory(pid: number, secret: string): void {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const [, from = '', to = ''] of readFileSync(`/proc/${pid}/maps`, 'latin1').matchAll(
      /^([0-9a-f]+)-([0-9a-f]+) rw/gm,
    )) {
      const length = Math.min(Number.parseInt(to, 16) - Number.parseInt(from, 16), 8 * 1024 * 1024);
      const bytes = Buffer.alloc(length);
      const read = readSync(memory, bytes, 0, length, Number.parseInt(from, 16));
      if (bytes.subarray(0, read).includes(secret)) return;
    }
  } finally {
    closeSync(memory);
  }
  throw new Error('not in its memory');
}

async function reach(options: NetConnectOpts): Promise<void> {
  const socket = connect({ ...options, timeout: RESPONSE_MS });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(RESPONSE_MS) });
  } finally {
    socket.destroy();
  }
}

async function reachByDatagram(port: number): Promise<void> {
  const socket = createSocket('udp4');
  try {
    const answer = once(socket, 'message', { signal: AbortSignal.timeout(RESPONSE_MS) });
    answer.catch(() => undefined);
    await new Promise<void>((resolve, reject) => {
      socket.send('?', port, '127.0.0.1', (error) => (error === null ? resolve() : reject(error)));
    });
    await answer;
  } finally {
    socket.close();
  }
}

/** Sends a DNS query; the test's server responds NXDOMAIN. */
async function queryName(port: number): Promise<void> {
  const resolver = new Resolver({ timeout: RESPONSE_MS, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const code = await resolver.resolve4('secret.example.com').then(
    () => 'resolved',
    (error: NodeJS.ErrnoException) => error.code,
  );
  require(code === 'ENOTFOUND', String(code));
}

const attacks: Readonly<Record<string, Attack>> = {
  'read the environment of the worker': ({ pid, secret }) => findSecret([`/proc/${pid}/environ`], secret),
  'read the environment of its parent or of any process': ({ secret }) =>
    findSecret(
      [process.ppid, ...processes()].map((pid) => `/proc/${pid}/environ`),
      secret,
    ),
  'read the memory of the worker': ({ pid, secret }) => searchMemory(pid, secret),
  'read a file beside the code': ({ hiddenFiles: [file = ''], secret }) =>
    findSecret([file, join('/project', basename(file))], secret),
  'read a file of the data folder': ({ hiddenFiles: [, file = ''], secret }) => findSecret([file], secret),
  'read a file in the folder for temporary files': ({ hiddenFiles: [, , file = ''], secret }) =>
    findSecret([file], secret),
  'read hidden files through another process': ({ pid, hiddenFiles, secret }) =>
    findSecret(
      [pid, process.ppid, ...processes()].flatMap((id) => hiddenFiles.map((file) => `/proc/${id}/root${file}`)),
      secret,
    ),
  'read /etc/passwd': () => readFileSync('/etc/passwd'),
  'list the home of root': () => readdirSync('/root'),
  'list the devices': () => require(readdirSync('/dev').length > 2, 'nothing but null and urandom'),
  'start a shell': () => require(spawnSync('/bin/sh', ['-c', 'exit 7']).status === 7, 'there is none'),
  'write to the code': ({ codeFolders }) => {
    const errors = codeFolders.flatMap((folder) => {
      try {
        writeFileSync(join(folder, 'written'), 'x');
        return [];
      } catch (error) {
        return [String(error)];
      }
    });
    require(errors.length < codeFolders.length, errors.join('; '));
  },
  'write to the compile cache': () =>
    writeFileSync(join(process.env.NODE_COMPILE_CACHE ?? '/there/is/none', 'written'), 'x'),
  'connect to a server': ({ tcpPort }) => reach({ host: '127.0.0.1', port: tcpPort }),
  'connect to a socket by its path': ({ socketPath }) => reach({ path: socketPath }),
  'connect to an abstract socket': ({ abstractSocket }) => reach({ path: abstractSocket }),
  'exchange datagrams': ({ udpPort }) => reachByDatagram(udpPort),
  'query a name server': ({ udpPort }) => queryName(udpPort),
  'signal the worker': ({ pid }) => process.kill(pid, 'SIGUSR2'),
  // The worker counts these signals. SIGURG is ignored by default.
  'signal the own process group': () => {
    process.kill(0, 'SIGURG');
    throw new Error('the worker counts the signals that it receives');
  },
  'open a folder that the worker has inherited': ({ inherited }) =>
    require(fstatSync(inherited).isDirectory(), 'it is something else'),
  // Sets the present mode again.
  'change the mode of a device': () => {
    for (const path of ['/dev/null', '/dev/urandom']) chmodSync(path, statSync(path).mode & 0o7777);
  },
  'change the mode of the device that is standard input': () => fchmodSync(0, fstatSync(0).mode & 0o7777),
  // Signal 0 sends nothing and only checks whether a signal could be sent.
  'signal everybody': () => process.kill(-1, 0),
  'see other processes': () =>
    require(processes().some((pid) => pid !== process.pid && pid !== process.ppid), 'there are none'),
  'trace the worker': (targets) => systemCall(targets, SYS.ptrace, PTRACE_SEIZE, targets.pid),
  'make a user namespace': (targets) => systemCall(targets, SYS.unshare, CLONE_NEWUSER),
  'make a mount namespace with it': (targets) => systemCall(targets, SYS.unshare, CLONE_NEWUSER | CLONE_NEWNS),
  'change the root': (targets) => systemCall(targets, SYS.chroot, '/'),
  'have capabilities': () =>
    require(/^CapEff:\s*0*[1-9a-f]/m.test(readFileSync('/proc/self/status', 'utf8')), 'has none'),
};

/** Attacks that would damage the machine; run only in an isolated child. */
const destructiveAttacks: Readonly<Record<string, Attack>> = {
  'trace process 1': (targets) => systemCall(targets, SYS.ptrace, PTRACE_SEIZE, 1),
  'end process 1': (targets) => {
    systemCall(targets, SYS.kill, 1, 9);
    // Process 1 of a namespace cannot be killed from within; if it had exited, this process would have been killed.
    throw new Error('process 1 is still running');
  },
  'mount a file system': (targets) => systemCall(targets, SYS.mount, 'tmpfs', '/tmp', 'tmpfs'),
  'make the code writable': (targets) =>
    systemCall(targets, SYS.mount, 'none', '/project/extraction', 'none', 32 | 4096),
  'reach the old root': () => {
    const seen = ['/', '/..', '/old', '/jail', '/../..'].flatMap((path) => readdirSync(path));
    require(seen.includes('etc') ||
      seen.includes('home') ||
      seen.includes('usr'), `sees ${[...new Set(seen)].join(' ')}`);
  },
  'run what it has written': () => {
    writeFileSync('/tmp/program', readFileSync('/bin/chroot'), { mode: 0o755 });
    require(spawnSync('/tmp/program', ['--version']).error === undefined, 'it is not executed');
  },
};

async function outcomeOf(attack: Attack, targets: Targets): Promise<true | string> {
  try {
    await attack(targets);
    return true;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const channel = new Socket({ fd: CHANNEL });
channel.on('error', () => undefined).on('close', () => process.exit(0));
receiveMessages(channel, Number.POSITIVE_INFINITY, async (message) => {
  const targets = message as Targets;
  const all = targets.isIsolated ? { ...attacks, ...destructiveAttacks } : attacks;
  const results: Record<string, true | string> = {};
  for (const [name, attack] of Object.entries(all)) results[name] = await outcomeOf(attack, targets);
  const outcomes: Outcomes = results;
  sendMessage(channel, outcomes);
});
sendMessage(channel, 'ready');
