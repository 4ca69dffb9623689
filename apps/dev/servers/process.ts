/**
 * One server as a child process that never outlives this process and that only this process stops.
 *
 * The child leads its own session, so that Ctrl-C in a terminal, which signals the whole process group, reaches only
 * this process, which stops the servers in order. If this process dies without that (SIGKILL, a crash, process.exit), a
 * watcher ends the child: a POSIX shell, forked by the shell that becomes the server. It blocks on a pipe whose
 * other end only this process has; the kernel closes it however this process ends. Alternatives: a parent-death signal
 * (`setpriv --pdeathsig`) works on Linux only and fires when the *thread* that forked ends; a wrapper in Node costs
 * 40 MB and 40 ms per server, the watcher 1 MB and 2 ms.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { errorCode, errorText } from '../binaries/error-parts.ts';

/**
 * $1: grace period in tenths of a second, $2: signal, the rest: the server's command. A line on descriptor 3 means that
 * the server has ended; end of file without a line means that this process is gone. The watcher is forked twice, so as
 * not to be a child of the server, which expects none. `$$` stays the process id of the outer shell, which exec keeps.
 */
const WATCHED = `grace=$1 signal=$2; shift 2
( {
  read -r ended <&3 && exit 0
  kill -s "$signal" $$ 2>/dev/null || exit 0
  while [ "$grace" -gt 0 ]; do
    kill -0 $$ 2>/dev/null || exit 0
    sleep 0.1
    grace=$((grace - 1))
  done
  kill -s KILL -- -$$ 2>/dev/null
} & )
exec "$@" 3<&-`;

const POLL_MS = 25;
const TAIL_LINES = 20;

export interface ServerCommand {
  /** Name of the server in messages and of its log file. */
  name: string;
  /** Absolute; must be part of `args`, which identify a process of an earlier start. */
  dataFolder: string;
  command: string;
  args: readonly string[];
  /** Added to the variables of INHERITED. The server receives no others. */
  environment?: Readonly<Record<string, string>>;
  /** Runs the server as another user; needs root. */
  user?: { uid: number; gid: number } | undefined;
  /** Signal that stops the server. Default SIGTERM. */
  stopSignal?: 'SIGTERM' | 'SIGINT';
  /** Time between `stopSignal` and SIGKILL. Default 10 s. */
  graceMs?: number;
  /** Polled until it returns true; a rejection counts as false. */
  ready: () => Promise<boolean>;
  /** Default 30 s. */
  readyWithinMs?: number;
  /** Receives a message when the server ends without `stop`. */
  report?: (line: string) => void;
}

export interface ServerProcess {
  pid: number;
  logFile: string;
  /** Stops the server, kills it after `graceMs`, and returns when it and its watcher have ended. Idempotent. */
  stop(): Promise<void>;
}

export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
}

/** Environment variables that servers inherit; settings of servers (PG*, TEMPORAL_*, VGW_*) are not among them. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

function environmentFor(own: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...own };
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

/** Whether a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Returns the command line of a process; '' if it does not exist or is a zombie. */
export async function commandLine(pid: number): Promise<string> {
  if (!isAlive(pid)) return '';
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  }
  const listed = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return listed?.stdout.trim() ?? '';
}

const recordSchema = z.object({ pid: z.int(), owner: z.int() });

function recordFile(dataFolder: string, name: string): string {
  return join(dataFolder, 'run', `${name}.json`);
}

/**
 * Waits until no server `name` of an earlier start uses this data folder: after a SIGKILL of that start, its watcher
 * may still be ending the server.
 * @throws ServerStartError if that start still runs, or its server does not end within `withinMs`.
 */
export async function awaitPredecessor(dataFolder: string, name: string, withinMs = 20_000): Promise<void> {
  const text = await readFile(recordFile(dataFolder, name), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const record = recordSchema.parse(JSON.parse(text));
  const deadline = Date.now() + withinMs;
  while ((await commandLine(record.pid)).includes(dataFolder)) {
    // Not isAlive: an owner that is a zombie has no command line.
    if ((await commandLine(record.owner)) !== '') {
      throw new ServerStartError(
        `${dataFolder} is in use: process ${record.owner} runs ${name} on it. End it first, or use another folder.`,
      );
    }
    if (Date.now() > deadline) {
      throw new ServerStartError(`${name} of an earlier start still runs on ${dataFolder}. End process ${record.pid}.`);
    }
    await delay(POLL_MS);
  }
}

/** Opens a new log file; the previous one becomes `<name>.previous.log`. */
async function openLog(dataFolder: string, name: string) {
  const folder = join(dataFolder, 'logs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${name}.log`);
  await rename(file, join(folder, `${name}.previous.log`)).catch(() => undefined);
  return { file, handle: await open(file, 'a', 0o600) };
}

async function awaitReady(child: ChildProcess, options: ServerCommand): Promise<void> {
  const withinMs = options.readyWithinMs ?? 30_000;
  const deadline = Date.now() + withinMs;
  while (true) {
    if (await options.ready().catch(() => false)) return;
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`ended with ${child.signalCode ?? `exit code ${child.exitCode}`} before it was ready`);
    }
    if (Date.now() > deadline) throw new Error(`was not ready within ${withinMs / 1000} s`);
    await delay(POLL_MS);
  }
}

/**
 * Starts a server and returns when `ready` returns true. Its output goes to `<dataFolder>/logs/<name>.log`.
 * @throws ServerStartError with the end of that log if the server ends early or does not become ready.
 */
export async function startProcess(options: ServerCommand): Promise<ServerProcess> {
  const { name, dataFolder } = options;
  const signal = options.stopSignal ?? 'SIGTERM';
  const graceMs = options.graceMs ?? 10_000;
  await awaitPredecessor(dataFolder, name);
  const log = await openLog(dataFolder, name);
  const grace = String(Math.ceil(graceMs / 100));
  const child = spawn(
    '/bin/sh',
    ['-c', WATCHED, 'sh', grace, signal.slice('SIG'.length), options.command, ...options.args],
    {
      detached: true,
      stdio: ['ignore', log.handle.fd, log.handle.fd, 'pipe'],
      env: environmentFor(options.environment ?? {}),
      cwd: '/',
      ...options.user,
    },
  );
  const exited = once(child, 'exit').then(() => undefined);
  // It rejects when the spawn fails, which `await spawned` throws below.
  exited.catch(() => undefined);
  const spawned = once(child, 'spawn');
  try {
    await spawned;
  } finally {
    await log.handle.close();
  }
  const { pid } = child;
  const lifeline = child.stdio[3];
  if (pid === undefined || !(lifeline instanceof Socket)) throw new Error('A spawned process has no id or no pipe.');
  const watcherGone = new Promise<void>((resolve) => {
    lifeline.once('close', () => resolve());
  });
  lifeline.on('error', () => undefined);
  lifeline.resume();

  let stopping: Promise<void> | undefined;
  let isReady = false;
  exited
    .then(() => {
      lifeline.end('ended\n');
      if (isReady && stopping === undefined) {
        options.report?.(`${name} ended unexpectedly (${child.signalCode ?? child.exitCode}). Its log: ${log.file}`);
      }
    })
    .catch(() => undefined);

  async function stopOnce(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      const killTimer = setTimeout(() => killGroup(pid), graceMs);
      await exited;
      clearTimeout(killTimer);
    }
    await watcherGone;
    await rm(recordFile(dataFolder, name), { force: true });
  }
  function stop(): Promise<void> {
    stopping ??= stopOnce();
    return stopping;
  }

  try {
    await mkdir(join(dataFolder, 'run'), { recursive: true, mode: 0o700 });
    await writeFile(recordFile(dataFolder, name), JSON.stringify({ pid, owner: process.pid }));
    await awaitReady(child, options);
  } catch (error) {
    await stop();
    throw new ServerStartError(`${name} ${errorText(error)}. The end of ${log.file}:\n${await lastLines(log.file)}`);
  }
  isReady = true;
  return { pid, logFile: log.file, stop };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended between the timer and the call.
  }
}
