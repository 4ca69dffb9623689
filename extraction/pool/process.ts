/** One child process of the pool, and the reason why it ended. */
import { mkdirSync, readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { SourceError } from '../../contract/errors.ts';
import type { Limits } from '../limits.ts';
import { receiveMessages, sendMessage } from './channel.ts';
import { type Isolation, type Launched, launch } from './launch.ts';
import { isReply, type Reply, type TaskMessage } from './messages.ts';
import type { TaskName } from './tasks.ts';

/** Wait limit from exit to closed streams: a process that the child started may hold them open. */
const CLOSE_TIMEOUT_MS = 1_000;

/** `start`: it was not ready in time. `reply`: it sent an invalid reply, so a document has compromised it. */
export type KillReason = 'start' | 'timeout' | 'memory' | 'reply' | 'abort' | 'retire';

export type PoolProcess = {
  /** Process id of Node; undefined until Node is about to start. */
  pid: () => number | undefined;
  send: (message: TaskMessage) => void;
  /** Sends SIGKILL: a busy child handles no other signal. */
  kill: (reason: KillReason) => void;
  /** Closes the channel; an idle child then exits by itself. */
  finish: () => void;
  /** Resident memory in bytes; null where the system does not report it. */
  residentBytes: () => number | null;
  /** Sets whether this process keeps the parent's event loop alive. */
  keepAlive: (enabled: boolean) => void;
};

/** How a child ended. */
export interface ProcessEnd {
  /** Error of the task that it was running. */
  error: SourceError;
  /** For operators, in one line: how it ended, and the end of its standard error. */
  description: string;
  /** Whether it was killed because it was not ready in time. */
  isStartTimeout: boolean;
}

export type PoolProcessEvents = {
  /** Called with undefined for a message that is not a reply. */
  onReply: (reply: Reply<TaskName> | undefined) => void;
  /** Called once, after startProcess has returned. */
  onEnd: (end: ProcessEnd) => void;
};

export interface ChildOptions {
  /** Limit of its resident memory in MiB; the limit of its JavaScript heap is 60 % of that. */
  memoryMb: number;
  limits: Limits;
  isolation: Isolation;
  /** Module to run, relative to the project's folder; child.ts by default. */
  module?: string;
  /** Start timeout in milliseconds; 60 s by default. */
  readyWithinMs?: number;
  /** Whether it may write to the compile cache; only for a child that reads no user's document. */
  mayWriteCompileCache?: boolean;
}

function launchChild({ memoryMb, limits, isolation, module, mayWriteCompileCache = false }: ChildOptions): Launched {
  const folder = compileCacheFolder(isolation);
  return launch({
    isolation,
    module: module ?? 'extraction/pool/child.ts',
    args: [JSON.stringify(limits)],
    execArgv: [
      // The other 40 % are for code, buffers and native parsers.
      `--max-old-space-size=${Math.max(64, Math.floor(memoryMb * 0.6))}`,
      '--disable-warning=ExperimentalWarning',
      // There are as many children as cores, so threads for garbage collection would slow down other children.
      '--single-threaded-gc',
      // Forbids eval and new Function: text of a document never becomes code.
      '--disallow-code-generation-from-strings',
    ],
    ...(folder === undefined ? {} : { compileCache: { folder, isWritable: mayWriteCompileCache } }),
  });
}

/** The children's compile cache, if this process has one; it halves their start time. */
function compileCacheFolder(isolation: Isolation): string | undefined {
  const own = getCompileCacheDir();
  if (own === undefined || isolation === 'none') return own;
  const folder = join(own, 'isolated');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Prose takes 4 bytes a character (2 bytes each in the Markdown and in a chunk), a text of headings only takes 8; the
 * number of artifacts has a limit of its own. 384 MiB with the default limits.
 */
function maxReplyBytes({ characters }: Limits): number {
  return 64 * 1024 * 1024 + 16 * characters;
}

/** Starts a child of the pool. Never throws: a failed start is reported through `onEnd`. */
export function startProcess(options: ChildOptions, events: PoolProcessEvents): PoolProcess {
  try {
    return monitor(launchChild(options), options, events);
  } catch (error) {
    const stderr = error instanceof Error ? error.message : String(error);
    setImmediate(() => events.onEnd(endOf({ killed: undefined, code: null, signal: null, stderr })));
    const noop = () => undefined;
    return { pid: noop, send: noop, kill: noop, finish: noop, residentBytes: () => null, keepAlive: noop };
  }
}

function monitor(
  { child, channel, pid }: Launched,
  { limits, readyWithinMs = 60_000 }: ChildOptions,
  { onReply, onEnd }: PoolProcessEvents,
): PoolProcess {
  let killed: KillReason | undefined;
  let stderr = '';
  let hasEnded = false;
  const kill = (reason: KillReason) => {
    killed ??= reason;
    child.kill('SIGKILL');
  };
  const startTimer = setTimeout(() => kill('start'), readyWithinMs).unref();
  let closeTimer: NodeJS.Timeout | undefined;

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-8192);
  });
  // The end of the process is handled below and has more details.
  channel.on('error', () => undefined);
  receiveMessages(channel, maxReplyBytes(limits), (message) => {
    const reply = isReply<TaskName>(message) ? message : undefined;
    if (reply?.kind === 'ready') clearTimeout(startTimer);
    onReply(reply);
  });
  const end = (code: number | null, signal: string | null) => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(startTimer);
    clearTimeout(closeTimer);
    onEnd(endOf({ killed, code, signal, stderr }));
  };
  child.on('error', (error) => {
    stderr += error.message;
    // A process that could not be started emits no 'exit' or 'close'.
    if (child.pid === undefined) end(null, null);
  });
  // 'close', not 'exit': only then stderr is complete, which distinguishes a full heap from a crash.
  child.on('close', end);
  child.on('exit', (code, signal) => {
    closeTimer = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
      end(code, signal);
    }, CLOSE_TIMEOUT_MS).unref();
  });

  return {
    pid,
    send: (message) => sendMessage(channel, message),
    kill,
    finish: () => channel.end(),
    residentBytes: () => residentBytes(pid()),
    keepAlive: (enabled) => {
      child[enabled ? 'ref' : 'unref']();
      for (const stream of [channel, child.stdout, child.stderr]) {
        if (stream instanceof Socket) stream[enabled ? 'ref' : 'unref']();
      }
    },
  };
}

/**
 * VmRSS of a process in bytes; null once it has ended, and on systems without /proc, where only the heap is limited.
 */
function residentBytes(pid: number | undefined): number | null {
  if (pid === undefined) return null;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

interface Exit {
  killed: KillReason | undefined;
  code: number | null;
  signal: string | null;
  stderr: string;
}

function endOf({ killed, stderr, ...exit }: Exit): ProcessEnd {
  const isStartTimeout = killed === 'start';
  const [code, signal] = exitOf(exit.code, exit.signal);
  const how = isStartTimeout ? 'it was not ready in time' : `its process ended (code ${code}, signal ${signal})`;
  const lastOutput = stderr
    .slice(-2_000)
    .trim()
    .replace(/\s*\n\s*/g, '; ');
  const description = lastOutput === '' ? how : `${how}: ${lastOutput}`;
  return { error: errorOf({ killed, code, signal, stderr }, new Error(description)), description, isStartTimeout };
}

/** Code and signal of Node: the shell around it exits with 128 + n where signal n ended Node. */
function exitOf(code: Exit['code'], signal: Exit['signal']): [Exit['code'], Exit['signal']] {
  const named = Object.entries(constants.signals).find(([, number]) => number + 128 === code);
  return named === undefined ? [code, signal] : [null, named[0]];
}

/**
 * Signals that a crash does not raise: an operator or the kernel's OOM killer sent them, so the file is not at fault.
 */
const externalSignals: readonly (string | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];

function errorOf({ killed, signal, stderr }: Exit, cause: Error): SourceError {
  if (killed === 'timeout') return new SourceError('extraction_timeout', 'The content took too long to process.');
  if (killed === 'memory' || /heap out of memory|Allocation failed|Out of memory/i.test(stderr)) {
    return new SourceError('extraction_memory', 'Reading the content needs more memory than allowed.');
  }
  if (killed !== 'reply' && (killed !== undefined || externalSignals.includes(signal))) {
    return new SourceError('internal', 'The extraction process was stopped.', { cause });
  }
  return new SourceError('file_damaged', 'The parser crashed on the content.', { cause });
}
