/**
 * Runs extraction in child processes that can be killed: hostile or broken content can loop for ever, take all memory
 * or crash a native parser, and threads are no protection against any of these.
 */
import { SourceError } from '../../contract/errors.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { errorOf, isReply, type Reply, type Request, requestOf } from './messages.ts';
import { forkProcess, type KillReason, type PoolProcess } from './process.ts';
import type { TaskInput, TaskName, TaskResult } from './tasks.ts';

const watchIntervalMs = 25;
/** A fresh child costs 0.8 s of CPU and reads its first documents at half speed; its memory is watched besides. */
const defaultRecycleAfter = 2_000;
/** A child that holds this share of its memory after a document would fail the next one for it. */
const recycleAtShare = 0.7;
const maxFailedStarts = 3;

export type ExtractionPoolOptions = {
  /** Number of child processes. */
  processes: number;
  /** Time that one task may run, in milliseconds; waiting for a child does not count. */
  timeoutMs: number;
  /** Resident memory that a child may take, in MiB; a warm one takes some 250. */
  memoryMb: number;
  /** Bounds of one document beside time and memory. */
  limits?: Limits;
  /** Tasks after which a child is replaced; 2,000 by default. */
  recycleAfter?: number;
};

export type ExtractionPool = {
  /**
   * Runs a task in a child and returns its result. The children go to the owners in turns. Rejects with SourceError:
   * the task's own, `extraction_timeout`, `extraction_memory`, `file_damaged` (the parser crashed) or `internal`; with
   * the signal's reason when aborted, which ends the task at once wherever it is.
   */
  run: <Name extends TaskName>(
    task: Name,
    input: TaskInput<Name>,
    options?: { owner?: string; signal?: AbortSignal },
  ) => Promise<TaskResult<Name>>;
  /** Process ids of the children, for metrics and tests. */
  pids: () => number[];
  /** Ends all children; what waits or runs is rejected with `internal`. */
  close: () => Promise<void>;
};

type Job = {
  owner: string;
  request: Request;
  succeed: (reply: Reply<TaskName>) => void;
  fail: (error: unknown) => void;
};

type Slot = {
  process: PoolProcess;
  ready: boolean;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
  done: number;
};

/** Creates a pool and begins to warm its children; no run needs to wait for that. */
export function createExtractionPool(options: ExtractionPoolOptions): ExtractionPool {
  const { processes, timeoutMs, memoryMb, limits = defaultLimits, recycleAfter = defaultRecycleAfter } = options;
  const memoryBytes = memoryMb * 1024 * 1024;
  const slots = new Set<Slot>();
  const waiting: Job[] = [];
  /** The number of the turn that each owner had last. */
  const lastTurns = new Map<string, number>();
  let turns = 0;
  let failedStarts = 0;
  let closed = false;
  let allGone: (() => void) | undefined;

  const watch = setInterval(() => {
    for (const slot of slots) {
      if (slot.job !== undefined && (slot.process.residentBytes() ?? 0) > memoryBytes) slot.process.kill('memory');
    }
  }, watchIntervalMs).unref();

  const killAll = () => {
    for (const slot of slots) slot.process.kill('retire');
  };
  process.on('exit', killAll);
  while (slots.size < processes) start();

  function start(): void {
    const slot: Slot = {
      process: forkProcess(memoryMb, limits, {
        onReply: (reply) => replied(slot, reply),
        onExit: (error) => ended(slot, error),
      }),
      ready: false,
      job: undefined,
      timer: undefined,
      done: 0,
    };
    slots.add(slot);
    slot.process.hold(waiting.length > 0);
  }

  function replied(slot: Slot, reply: Reply<TaskName>): void {
    if (reply.kind === 'ready') {
      slot.ready = true;
      failedStarts = 0;
    } else {
      const job = release(slot);
      slot.done += 1;
      const resident = slot.process.residentBytes() ?? 0;
      if (slot.done >= recycleAfter || resident > memoryBytes * recycleAtShare) replace(slot, 'retire');
      job?.succeed(reply);
    }
    assign();
  }

  function ended(slot: Slot, error: SourceError): void {
    const job = release(slot);
    slots.delete(slot);
    if (!slot.ready && !closed) failedStarts += 1;
    job?.fail(error);
    if (closed) {
      if (slots.size === 0) allGone?.();
      return;
    }
    if (failedStarts < maxFailedStarts) {
      while (slots.size < processes) start();
      return;
    }
    // Children that cannot start must not leave anybody waiting; the next run tries again.
    for (const waiter of waiting.splice(0)) {
      waiter.fail(new SourceError('internal', 'The processing could not be started.', { cause: error }));
    }
  }

  /** Takes a child out of use; `ended` puts another in its place. */
  function replace(slot: Slot, reason: KillReason): void {
    slot.ready = false;
    slot.done = Number.POSITIVE_INFINITY;
    slot.process.kill(reason);
    failedStarts = 0;
  }

  function release(slot: Slot): Job | undefined {
    const { job } = slot;
    clearTimeout(slot.timer);
    slot.job = undefined;
    slot.process.hold(false);
    return job;
  }

  function assign(): void {
    for (const slot of slots) {
      if (!slot.ready || slot.job !== undefined) continue;
      const job = takeNext();
      if (job === undefined) return;
      slot.job = job;
      slot.process.hold(true);
      slot.timer = setTimeout(() => slot.process.kill('timeout'), timeoutMs);
      slot.process.send(job.request);
    }
    if (waiting.length > 0) for (const slot of slots) slot.process.hold(true);
  }

  /** Of what waits, the first of the owner whose last turn is the longest ago. */
  function takeNext(): Job | undefined {
    let next = 0;
    let longestAgo = Number.POSITIVE_INFINITY;
    for (const [index, { owner }] of waiting.entries()) {
      const turn = lastTurns.get(owner) ?? 0;
      if (turn < longestAgo) [next, longestAgo] = [index, turn];
    }
    const [job] = waiting.splice(next, 1);
    if (job === undefined) return undefined;
    // Once nobody waits, everybody is equal again; nobody is remembered for ever.
    if (waiting.length === 0) lastTurns.clear();
    lastTurns.set(job.owner, ++turns);
    return job;
  }

  function enqueue(job: Job): void {
    waiting.push(job);
    if (slots.size < processes) {
      failedStarts = 0;
      while (slots.size < processes) start();
    }
    assign();
  }

  function cancel(job: Job, reason: unknown): void {
    const index = waiting.indexOf(job);
    if (index !== -1) waiting.splice(index, 1);
    for (const slot of slots) if (slot.job === job) slot.process.kill('abort');
    job.fail(reason);
  }

  function run<Name extends TaskName>(
    task: Name,
    input: TaskInput<Name>,
    { owner = '', signal }: { owner?: string; signal?: AbortSignal } = {},
  ): Promise<TaskResult<Name>> {
    return new Promise((resolve, reject) => {
      if (closed) throw new SourceError('internal', 'The processing is shutting down.');
      signal?.throwIfAborted();
      const abort = () => cancel(job, signal?.reason);
      const job: Job = {
        owner,
        request: requestOf(task, input),
        succeed: (reply) => {
          signal?.removeEventListener('abort', abort);
          if (!isReply<Name>(reply) || reply.kind === 'ready') return;
          if (reply.kind === 'result') resolve(reply.result);
          else reject(errorOf(reply.failure));
        },
        fail: (error) => {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      enqueue(job);
    });
  }

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    clearInterval(watch);
    process.off('exit', killAll);
    for (const job of waiting.splice(0)) job.fail(new SourceError('internal', 'The processing is shutting down.'));
    if (slots.size === 0) return;
    await new Promise<void>((resolve) => {
      allGone = resolve;
      for (const slot of slots) slot.process.hold(true);
      killAll();
    });
  }

  return {
    run,
    pids: () => [...slots].flatMap(({ process: child }) => (child.pid === undefined ? [] : [child.pid])),
    close,
  };
}
