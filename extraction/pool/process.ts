/** One child process of the pool, and why it ended. */
import { mkdirSync, readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { SourceError } from '../../contract/errors.ts';
import type { Limits } from '../limits.ts';
import { receiveMessages, sendMessage } from './channel.ts';
import { type Isolation, type Launched, launch } from './launch.ts';
import { isReply, type Order, type Reply } from './messages.ts';
import type { TaskName } from './tasks.ts';

/** A process of its own making, or a descriptor that it passed on, may hold the streams of one that has ended. */
const CLOSE_WITHIN_MS = 1_000;

/** `start`: it was not ready in time. `reply`: it sent what no child sends, so a document does. */
export type KillReason = 'start' | 'timeout' | 'memory' | 'reply' | 'abort' | 'retire';

export type PoolProcess = {
  /** Undefined until there is a process that reads documents. */
  pid: () => number | undefined;
  send: (order: Order) => void;
  /** SIGKILL: a busy child notices nothing else. */
  kill: (reason: KillReason) => void;
  /** Has a child that is not busy end by itself. */
  finish: () => void;
  /** Resident memory in bytes, or null where the system does not tell. */
  residentBytes: () => number | null;
  /** Whether this process keeps the parent's event loop alive. */
  hold: (held: boolean) => void;
};

/** How a child ended. */
export interface ProcessEnd {
  /** Why whatever it was doing has failed. */
  error: SourceError;
  /** For operators, in one line: how it ended, and the last that it wrote to standard error. */
  description: string;
  /** Whether it was killed because it was not ready in time. */
  isLate: boolean;
}

export type PoolProcessEvents = {
  /** Undefined: it sent something else. */
  onReply: (reply: Reply<TaskName> | undefined) => void;
  /** Called once, and never before startProcess has returned. */
  onEnd: (end: ProcessEnd) => void;
};

export interface ChildOptions {
  /** Resident memory that it may take, in MiB; its JavaScript heap stays below. */
  memoryMb: number;
  limits: Limits;
  isolation: Isolation;
  /** What it runs, relative to the project's folder; child.ts by default. */
  module?: string;
  /** How long its start may take; 60 s by default. */
  readyWithinMs?: number;
  /** Whether it is to read nothing but our own texts: it may then add to its compile cache. */
  readsOurTextsAlone?: boolean;
}

function launchChild({ memoryMb, limits, isolation, module, readsOurTextsAlone = false }: ChildOptions): Launched {
  const folder = compiledFolder(isolation);
  return launch({
    isolation,
    module: module ?? 'extraction/pool/child.ts',
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

/**
 * A context of prose takes 4 bytes a character (in the Markdown and in a chunk, of 2 bytes each), one of headings alone 8;
 * artifacts have their number bounded. By the default limits 384 MiB.
 */
function maxReplyBytes({ characters }: Limits): number {
  return 64 * 1024 * 1024 + 16 * characters;
}

/** Starts a child of the pool. */
export function startProcess(options: ChildOptions, events: PoolProcessEvents): PoolProcess {
  try {
    return follow(launchChild(options), options, events);
  } catch (error) {
    const stderr = error instanceof Error ? error.message : String(error);
    setImmediate(() => events.onEnd(endOf({ killed: undefined, code: null, signal: null, stderr })));
    const nothing = () => undefined;
    return { pid: nothing, send: nothing, kill: nothing, finish: nothing, residentBytes: () => null, hold: nothing };
  }
}

function follow(
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
  const starting = setTimeout(() => kill('start'), readyWithinMs).unref();
  let closing: NodeJS.Timeout | undefined;

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-8192);
  });
  // Its end says more.
  channel.on('error', () => undefined);
  receiveMessages(channel, maxReplyBytes(limits), (message) => {
    const reply = isReply<TaskName>(message) ? message : undefined;
    if (reply?.kind === 'ready') clearTimeout(starting);
    onReply(reply);
  });
  const end = (code: number | null, signal: string | null) => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(starting);
    clearTimeout(closing);
    onEnd(endOf({ killed, code, signal, stderr }));
  };
  child.on('error', (error) => {
    stderr += error.message;
    // A process that could not be started has no exit of its own.
    if (child.pid === undefined) end(null, null);
  });
  // 'close', not 'exit': only then all of stderr is here, which tells a full heap from a crash.
  child.on('close', end);
  child.on('exit', (code, signal) => {
    closing = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
      end(code, signal);
    }, CLOSE_WITHIN_MS).unref();
  });

  return {
    pid,
    send: (order) => sendMessage(channel, order),
    kill,
    finish: () => channel.end(),
    residentBytes: () => residentBytes(pid()),
    hold: (held) => {
      child[held ? 'ref' : 'unref']();
      for (const stream of [channel, child.stdout, child.stderr]) {
        if (stream instanceof Socket) stream[held ? 'ref' : 'unref']();
      }
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

interface Exit {
  killed: KillReason | undefined;
  code: number | null;
  signal: string | null;
  stderr: string;
}

function endOf({ killed, stderr, ...exit }: Exit): ProcessEnd {
  const isLate = killed === 'start';
  const [code, signal] = exitOf(exit.code, exit.signal);
  const how = isLate ? 'it was not ready in time' : `its process ended (code ${code}, signal ${signal})`;
  const wrote = stderr
    .slice(-2_000)
    .trim()
    .replace(/\s*\n\s*/g, '; ');
  const description = wrote === '' ? how : `${how}: ${wrote}`;
  return { error: errorOf({ killed, code, signal, stderr }, new Error(description)), description, isLate };
}

/** A process in between says by its exit code (128 and the number) which signal ended Node. */
function exitOf(code: Exit['code'], signal: Exit['signal']): [Exit['code'], Exit['signal']] {
  const named = Object.entries(constants.signals).find(([, number]) => number + 128 === code);
  return named === undefined ? [code, signal] : [null, named[0]];
}

/** Nothing in a file sends these: an operator or the system's memory killer did, so the file is not to blame. */
const fromOutside: readonly (string | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];

function errorOf({ killed, signal, stderr }: Exit, cause: Error): SourceError {
  if (killed === 'timeout') return new SourceError('extraction_timeout', 'The content took too long to process.');
  if (killed === 'memory' || /heap out of memory|Allocation failed|Out of memory/i.test(stderr)) {
    return new SourceError('extraction_memory', 'The content takes more memory than allowed.');
  }
  if (killed !== 'reply' && (killed !== undefined || fromOutside.includes(signal))) {
    return new SourceError('internal', 'The processing was ended from outside.', { cause });
  }
  return new SourceError('file_damaged', 'The content made its parser crash.', { cause });
}
