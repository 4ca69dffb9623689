/** One child process of the pool, and why it ended. */
import { mkdirSync, readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { SourceError } from '../../contract/errors.ts';
import type { Limits } from '../limits.ts';
import { type Isolation, type Launched, launch } from './launch.ts';
import { isReply, type Order, type Reply } from './messages.ts';
import type { TaskName } from './tasks.ts';

export type KillReason = 'timeout' | 'memory' | 'abort' | 'retire';

export type PoolProcess = {
  /** Undefined until there is a process that reads documents. */
  pid: () => number | undefined;
  send: (order: Order) => void;
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

export interface ChildOptions {
  /** Resident memory that it may take, in MiB; its JavaScript heap stays below. */
  memoryMb: number;
  limits: Limits;
  isolation: Isolation;
}

/** Starts child.ts; it may add to its compile cache only where it is to read nothing but our own texts. */
export function launchChild({ memoryMb, limits, isolation }: ChildOptions, readsOurTextsAlone = false): Launched {
  const folder = compiledFolder(isolation);
  return launch({
    isolation,
    module: 'extraction/pool/child.ts',
    args: [JSON.stringify(limits)],
    execArgv: [
      // The rest of the resident memory is code, buffers and native parsers.
      `--max-old-space-size=${Math.max(64, Math.floor(memoryMb * 0.6))}`,
      '--disable-warning=ExperimentalWarning',
      // There are as many children as cores: what collects one's garbage beside it does so at the cost of another.
      '--single-threaded-gc',
      // No text of a document becomes code, whatever a parser does with it.
      '--disallow-code-generation-from-strings',
    ],
    ...(folder === undefined ? {} : { compiled: { folder, isWritable: readsOurTextsAlone } }),
  });
}

/** Where this process keeps compiled code its children may too, so that each is up in half the time. */
function compiledFolder(isolation: Isolation): string | undefined {
  const own = getCompileCacheDir();
  if (own === undefined || isolation === 'none') return own;
  const folder = join(own, 'isolated');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Starts a child of the pool. */
export function startProcess(options: ChildOptions, { onReply, onExit }: PoolProcessEvents): PoolProcess {
  const { child, pid } = launchChild(options);
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
    onExit(exitError(killed, ...endOf(code, signal), stderr));
  };
  child.on('error', (error) => {
    stderr += error.message;
    // A process that could not be started has no exit of its own.
    if (child.pid === undefined) end(null, null);
  });
  // 'close', not 'exit': only then all of stderr is here, which tells a full heap from a crash.
  child.on('close', end);

  return {
    pid,
    send: (order) => child.send(order),
    kill: (reason) => {
      killed ??= reason;
      child.kill('SIGKILL');
    },
    residentBytes: () => residentBytes(pid()),
    hold: (held) => {
      if (held) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
      for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream[held ? 'ref' : 'unref']();
    },
  };
}

/** VmRSS of a process; null once it is gone, and on systems without /proc, where the heap's limit alone holds. */
function residentBytes(pid: number | undefined): number | null {
  if (pid === undefined) return null;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

/** A process in between says by its exit code (128 and the number) which signal ended Node. */
function endOf(code: number | null, signal: string | null): [code: number | null, signal: string | null] {
  const named = Object.entries(constants.signals).find(([, number]) => number + 128 === code);
  return named === undefined ? [code, signal] : [null, named[0]];
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
