/** One child process of the pool, and why it ended. */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { SourceError } from '../../contract/errors.ts';
import type { Limits } from '../limits.ts';
import { isReply, type Reply, type Request } from './messages.ts';
import type { TaskName } from './tasks.ts';

const childPath = fileURLToPath(new URL('./child.ts', import.meta.url));

export type KillReason = 'timeout' | 'memory' | 'abort' | 'retire';

export type PoolProcess = {
  readonly pid: number | undefined;
  send: (request: Request) => void;
  /** SIGKILL: a busy child hears nothing else. */
  kill: (reason: KillReason) => void;
  /** Resident memory in bytes, or null where the system does not tell. */
  residentBytes: () => number | null;
  /** Whether this process keeps the parent's event loop alive. */
  hold: (held: boolean) => void;
};

export type PoolProcessEvents = {
  onReply: (reply: Reply<TaskName>) => void;
  /** Called once; the error says why whatever it was doing has failed. */
  onExit: (error: SourceError) => void;
};

/** Forks a child whose JavaScript heap stays below the limit on its resident memory (MiB). */
export function forkProcess(memoryMb: number, limits: Limits, { onReply, onExit }: PoolProcessEvents): PoolProcess {
  const compiled = getCompileCacheDir();
  const child = fork(childPath, [JSON.stringify(limits)], {
    execPath: process.execPath,
    // The rest of the resident memory is code, buffers and native parsers.
    execArgv: [
      `--max-old-space-size=${Math.max(64, Math.floor(memoryMb * 0.6))}`,
      '--disable-warning=ExperimentalWarning',
      // There are as many children as cores: what collects one's garbage beside it does so at the cost of another.
      '--single-threaded-gc',
    ],
    // Content is hostile: nothing of our environment, which holds secrets, goes to where it is parsed.
    env: {
      LANG: 'C.UTF-8',
      NODE_ENV: 'production',
      // Where this process keeps compiled code its children may, so that each is up in half the time.
      ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }),
    },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let killed: KillReason | undefined;
  let stderr = '';
  let ended = false;

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-8192);
  });
  child.on('message', (message: unknown) => {
    if (isReply<TaskName>(message)) onReply(message);
  });
  const end = (code: number | null, signal: string | null) => {
    if (ended) return;
    ended = true;
    onExit(exitError(killed, code, signal, stderr));
  };
  child.on('error', (error) => {
    stderr += error.message;
    // A process that could not be started has no exit of its own.
    if (child.pid === undefined) end(null, null);
  });
  // 'close', not 'exit': only then all of stderr is here, which tells a full heap from a crash.
  child.on('close', end);

  return {
    pid: child.pid,
    send: (request) => child.send(request),
    kill: (reason) => {
      killed ??= reason;
      child.kill('SIGKILL');
    },
    residentBytes: () => (child.pid === undefined ? null : residentBytes(child.pid)),
    hold: (held) => {
      if (held) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
      if (child.stderr instanceof Socket) child.stderr[held ? 'ref' : 'unref']();
    },
  };
}

/** VmRSS of a process; null once it is gone, and on systems without /proc, where the heap's limit alone holds. */
function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

function exitError(
  killed: KillReason | undefined,
  code: number | null,
  signal: string | null,
  stderr: string,
): SourceError {
  if (killed === 'timeout') return new SourceError('extraction_timeout', 'The content took too long to process.');
  if (killed === 'memory' || /heap out of memory|Allocation failed|Out of memory/i.test(stderr)) {
    return new SourceError('extraction_memory', 'The content takes more memory than allowed.');
  }
  const cause = new Error(`extraction child ended (code ${code}, signal ${signal}): ${stderr.slice(-2000)}`);
  // Nothing in a file sends these: an operator or the system's memory killer did, so the file is not to blame.
  if (
    killed !== undefined ||
    signal === 'SIGKILL' ||
    signal === 'SIGTERM' ||
    signal === 'SIGINT' ||
    signal === 'SIGHUP'
  ) {
    return new SourceError('internal', 'The processing was ended from outside.', { cause });
  }
  return new SourceError('file_damaged', 'The content made its parser crash.', { cause });
}
