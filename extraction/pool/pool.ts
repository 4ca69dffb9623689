/**
 * Runs extraction in child processes that can be killed: hostile or broken content can loop for ever, take all memory
 * or crash a native parser, and threads are no protection against any of these.
 */
import { SourceError } from '../../contract/errors.ts';
import { ExtractionUnavailableError } from '../../contract/extraction-unavailable.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { defaultIsolation, type Isolation } from './launch.ts';
import { errorOf, isReply, type Reply, type Request, requestOf } from './messages.ts';
import { type ChildOptions, type KillReason, type PoolProcess, type ProcessEnd, startProcess } from './process.ts';
import { type Reader, readerFor, readerToReplace, type Waiting } from './readers.ts';
import type { TaskInput, TaskName, TaskResult } from './tasks.ts';

const watchIntervalMs = 25;
/** A fresh child costs 0.8 s of CPU and reads its first documents at half speed; its memory is watched besides. */
const defaultRecycleAfter = 2_000;
/** A child that holds this share of its memory after a document would fail the next one for it. */
const recycleAtShare = 0.7;
const maxFailedStarts = 3;
/** After so many that failed in a row, one is tried in each such interval. */
const startIntervalMs = 1_000;
/** What has taken over a child by a document of its only owner has so long to live when that owner has nothing more. */
const exclusiveIdleMs = 5_000;

export type ExtractionPoolOptions = {
  /** Number of child processes. */
  processes: number;
  /** Time that one task may run, in milliseconds; waiting for a child does not count. */
  timeoutMs: number;
  /** Resident memory that a child may take, in MiB; a warm one takes some 250. */
  memoryMb: number;
  /** Bounds of one document beside time and memory. */
  limits?: Limits;
  /** Of the children from all else; `namespaces` by default where there are any. */
  isolation?: Isolation;
  /** Tasks after which a child is replaced; 2,000 by default. */
  recycleAfter?: number;
  /** What tests put in the place of child.ts and of its time to start. */
  child?: Pick<ChildOptions, 'module' | 'readyWithinMs'>;
};

export type ExtractionPool = {
  /**
   * Runs a task in a child and returns its result. The children go to the owners in turns. Rejects with SourceError:
   * the task's own, `extraction_timeout`, `extraction_memory`, `file_damaged` (the parser crashed) or `internal`; with
   * ExtractionUnavailableError where no child can be started; with the signal's reason when aborted, which ends the
   * task at once wherever it is.
   */
  run: <Name extends TaskName>(
    task: Name,
    input: TaskInput<Name>,
    options?: { owner?: string; signal?: AbortSignal },
  ) => Promise<TaskResult<Name>>;
  /** False while no child can be started. */
  isAvailable: () => boolean;
  /** Process ids of the children that have been started, for metrics and tests. */
  pids: () => number[];
  /** Ends all children; what waits or runs is rejected with `internal`. */
  close: () => Promise<void>;
};

type Job = Waiting & {
  request: Request;
  succeed: (reply: Reply<TaskName>) => void;
  fail: (error: unknown) => void;
};

type Slot = Reader & {
  process: PoolProcess;
  isReady: boolean;
  /** Whether it has been killed. */
  isEnding: boolean;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
  /** When its last job began and ended, by performance.now(). */
  begunAt: number;
  endedAt: number;
  done: number;
};

/** Creates a pool and begins to warm its children; no run needs to wait for that. */
export function createExtractionPool(options: ExtractionPoolOptions): ExtractionPool {
  const { processes, timeoutMs, memoryMb, recycleAfter = defaultRecycleAfter } = options;
  const { limits = defaultLimits, isolation = defaultIsolation, child = {} } = options;
  const memoryBytes = memoryMb * 1024 * 1024;
  const slots = new Set<Slot>();
  const waiting: Job[] = [];
  /** The number of the turn that each owner had last. */
  const lastTurns = new Map<string, number>();
  let turns = 0;
  /** Since the last child that became ready. */
  let failedStarts = 0;
  let nextStart: NodeJS.Timeout | undefined;
  /** Why none can be started, while that is so. */
  let trouble: ExtractionUnavailableError | undefined;
  let closed = false;
  let allGone: (() => void) | undefined;

  const watch = setInterval(() => {
    for (const slot of slots) {
      if ((slot.process.residentBytes() ?? 0) > memoryBytes) kill(slot, 'memory');
      else if (slot.isFree && slot.isExclusive && performance.now() - slot.endedAt > exclusiveIdleMs) retire(slot);
    }
  }, watchIntervalMs).unref();

  const killAll = () => {
    for (const slot of slots) kill(slot, 'retire');
  };
  process.on('exit', killAll);
  refill();

  /** Starts what is missing: one in an interval while they fail. */
  function refill(): void {
    clearTimeout(nextStart);
    if (trouble === undefined) {
      while (slots.size < processes) start();
    } else if (slots.size < processes) {
      nextStart = setTimeout(start, startIntervalMs).unref();
    }
  }

  function start(): void {
    const slot: Slot = {
      process: startProcess(
        { memoryMb, limits, isolation, ...child },
        { onReply: (reply) => replied(slot, reply), onEnd: (end) => ended(slot, end) },
      ),
      isReady: false,
      isEnding: false,
      get isFree() {
        return this.isReady && !this.isEnding && this.job === undefined;
      },
      job: undefined,
      timer: undefined,
      begunAt: 0,
      endedAt: 0,
      done: 0,
      owner: undefined,
      hasOneOwner: true,
      isExclusive: false,
      exclusiveMs: 0,
    };
    slots.add(slot);
    slot.process.hold(waiting.length > 0);
  }

  /** One `ready`, then for each job at most one `exclusive` and one answer. */
  function isDue(slot: Slot, reply: Reply<TaskName>): boolean {
    if (reply.kind === 'ready') return !slot.isReady;
    return slot.job !== undefined && !(reply.kind === 'exclusive' && slot.isExclusive);
  }

  function replied(slot: Slot, reply: Reply<TaskName> | undefined): void {
    // It was killed after it had said this.
    if (slot.isEnding) return;
    if (reply === undefined || !isDue(slot, reply)) {
      kill(slot, 'reply');
      return;
    }
    switch (reply.kind) {
      case 'ready':
        slot.isReady = true;
        failedStarts = 0;
        trouble = undefined;
        refill();
        break;
      case 'exclusive':
        slot.isExclusive = true;
        return;
      case 'elsewhere':
        handBack(release(slot));
        break;
      default: {
        const job = release(slot);
        slot.done += 1;
        const resident = slot.process.residentBytes() ?? 0;
        if (slot.done >= recycleAfter || resident > memoryBytes * recycleAtShare) retire(slot);
        job?.succeed(reply);
      }
    }
    assign();
  }

  /** A job that needs a child of its owner's own is next again: its turn was not used. */
  function handBack(job: Job | undefined): void {
    if (job === undefined) return;
    if (job.needsOwnReader) {
      job.fail(new SourceError('internal', 'The processing was refused by a process of the owner.'));
      return;
    }
    job.needsOwnReader = true;
    waiting.unshift(job);
    lastTurns.delete(job.owner);
  }

  function ended(slot: Slot, { error, description, isLate }: ProcessEnd): void {
    release(slot)?.fail(error);
    slots.delete(slot);
    if (closed) {
      if (slots.size === 0) allGone?.();
      return;
    }
    if (!slot.isReady) failedStarts += 1;
    if (!slot.isReady && failedStarts >= maxFailedStarts) {
      trouble = new ExtractionUnavailableError(isLate ? 'timeout' : 'failing', description);
    }
    refill();
    failWaiting();
  }

  /** Children that cannot start leave nobody waiting. */
  function failWaiting(): void {
    if (trouble === undefined) return;
    for (const job of waiting.splice(0)) job.fail(trouble);
  }

  /** Takes a child out of use; `ended` puts another in its place. */
  function retire(slot: Slot): void {
    kill(slot, 'retire');
  }

  function kill(slot: Slot, reason: KillReason): void {
    slot.isEnding = true;
    slot.process.kill(reason);
  }

  function release(slot: Slot): Job | undefined {
    const { job } = slot;
    clearTimeout(slot.timer);
    slot.job = undefined;
    slot.endedAt = performance.now();
    if (slot.isExclusive) slot.exclusiveMs += slot.endedAt - slot.begunAt;
    slot.process.hold(false);
    return job;
  }

  function assign(): void {
    /** Owners whose turn it is, but for whom no free child may read. */
    const passedOver = new Set<string>();
    while ([...slots].some(({ isFree }) => isFree)) {
      const job = nextJob(passedOver);
      if (job === undefined) break;
      const slot = readerFor(slots, job);
      if (slot === undefined) {
        passedOver.add(job.owner);
        makeRoom(passedOver.size);
      } else {
        give(slot, job);
      }
    }
    if (waiting.length > 0) for (const slot of slots) slot.process.hold(true);
  }

  /** Has at least so many fresh children on their way, where that takes one of the free ones. */
  function makeRoom(wanted: number): void {
    const starting = [...slots].filter(({ isReady, isEnding }) => !isReady || isEnding).length;
    const slot = starting < wanted ? readerToReplace(slots, waiting) : undefined;
    if (slot !== undefined) retire(slot);
  }

  function give(slot: Slot, job: Job): void {
    waiting.splice(waiting.indexOf(job), 1);
    // Once nobody waits, everybody is equal again; nobody is remembered for ever.
    if (waiting.length === 0) lastTurns.clear();
    lastTurns.set(job.owner, ++turns);
    slot.hasOneOwner &&= slot.owner === undefined || slot.owner === job.owner;
    slot.owner = job.owner;
    slot.job = job;
    slot.begunAt = performance.now();
    slot.process.hold(true);
    slot.timer = setTimeout(() => kill(slot, 'timeout'), timeoutMs);
    slot.process.send({ request: job.request, hasOneOwner: slot.hasOneOwner });
  }

  /** Of what waits, the first of the owner whose last turn is the longest ago. */
  function nextJob(passedOver: ReadonlySet<string>): Job | undefined {
    let next: Job | undefined;
    let longestAgo = Number.POSITIVE_INFINITY;
    for (const job of waiting) {
      const turn = lastTurns.get(job.owner) ?? 0;
      if (turn < longestAgo && !passedOver.has(job.owner)) [next, longestAgo] = [job, turn];
    }
    return next;
  }

  function enqueue(job: Job): void {
    waiting.push(job);
    assign();
    failWaiting();
  }

  function cancel(job: Job, reason: unknown): void {
    const index = waiting.indexOf(job);
    if (index !== -1) waiting.splice(index, 1);
    for (const slot of slots) if (slot.job === job) kill(slot, 'abort');
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
        needsOwnReader: false,
        succeed: (reply) => {
          signal?.removeEventListener('abort', abort);
          if (!isReply<Name>(reply)) return;
          if (reply.kind === 'result') resolve(reply.result);
          else if (reply.kind === 'failure') reject(errorOf(reply.failure));
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
    clearTimeout(nextStart);
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
    isAvailable: () => trouble === undefined,
    pids: () => [...slots].flatMap((slot) => slot.process.pid() ?? []),
    close,
  };
}
