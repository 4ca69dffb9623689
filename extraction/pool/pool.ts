/**
 * Runs extraction in child processes, which can be killed: hostile or damaged content can loop forever, exhaust memory
 * or crash a native parser. Threads protect against none of these.
 */
import { SourceError } from '../../contract/errors.ts';
import { ExtractionUnavailableError } from '../../contract/extraction-unavailable.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { defaultIsolation, type Isolation } from './launch.ts';
import { errorOf, isReply, type Reply, type Request, requestOf } from './messages.ts';
import { type ChildOptions, type KillReason, type PoolProcess, type ProcessEnd, startProcess } from './process.ts';
import { type ChildState, selectChild, selectChildToReplace, type Waiting } from './readers.ts';
import type { TaskInput, TaskName, TaskResult } from './tasks.ts';

const watchIntervalMs = 25;
/** Tasks. A new child costs 0.8 s of CPU and reads its first documents at half speed; memory is watched separately. */
const defaultRecycleAfter = 2_000;
/** A child that still uses this share of its memory limit after a task is replaced: the next task might exceed it. */
const recycleAtMemoryShare = 0.7;
/** After this many failed starts in a row the pool is unavailable and tries one start in each interval. */
const maxFailedStarts = 3;
const startIntervalMs = 1_000;
/** An exclusive child that is idle for longer is ended: a document may have compromised it. */
const exclusiveIdleMs = 5_000;

export type ExtractionPoolOptions = {
  /** Number of child processes. */
  processes: number;
  /** Time limit of one task in milliseconds, without the time that it waits for a child. */
  timeoutMs: number;
  /** Limit of a child's resident memory in MiB; an idle child takes some 250. */
  memoryMb: number;
  /** Limits of one document other than time and memory. */
  limits?: Limits;
  /** Isolation of the children; by default `namespaces` on Linux, else `none`. */
  isolation?: Isolation;
  /** Tasks after which a child is replaced; 2,000 by default. */
  recycleAfter?: number;
  /** For tests: replaces child.ts and its start timeout. */
  child?: Pick<ChildOptions, 'module' | 'readyWithinMs'>;
};

export type ExtractionPool = {
  /**
   * Runs a task in a child and returns its result. Owners take turns at the children. An abort of `signal` ends the
   * task immediately, also while it runs; an abort of `waitSignal` only while it waits for a child.
   * @throws SourceError of the task, `extraction_timeout`, `extraction_memory`, `file_damaged` (the parser crashed) or
   * `internal`; ExtractionUnavailableError while no child can be started; the reason of a signal when aborted
   */
  run: <Name extends TaskName>(
    task: Name,
    input: TaskInput<Name>,
    options?: { owner?: string; signal?: AbortSignal; waitSignal?: AbortSignal | undefined },
  ) => Promise<TaskResult<Name>>;
  /** False while no child can be started. */
  isAvailable: () => boolean;
  /** Process ids of the running children, for metrics and tests. */
  pids: () => number[];
  /** Ends all children; waiting and running tasks fail with `internal`. */
  close: () => Promise<void>;
};

type Job = Waiting & {
  request: Request;
  settle: (reply: Reply<TaskName>) => void;
  fail: (error: unknown) => void;
};

type Slot = ChildState & {
  process: PoolProcess;
  isReady: boolean;
  /** True once it was killed, until its process has ended. */
  isEnding: boolean;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Start and end of its last job, from performance.now(). */
  startedAt: number;
  endedAt: number;
  completedJobs: number;
};

/** Creates a pool and starts its children. Tasks can be run immediately; they wait until a child is ready. */
export function createExtractionPool(options: ExtractionPoolOptions): ExtractionPool {
  const { processes, timeoutMs, memoryMb, recycleAfter = defaultRecycleAfter } = options;
  const { limits = defaultLimits, isolation = defaultIsolation, child = {} } = options;
  const memoryBytes = memoryMb * 1024 * 1024;
  const slots = new Set<Slot>();
  const waiting: Job[] = [];
  /** By owner: the number of its last turn. */
  const lastTurns = new Map<string, number>();
  let turns = 0;
  /** Failed starts since a child last became ready. */
  let failedStarts = 0;
  let nextStart: NodeJS.Timeout | undefined;
  /** Set while no child can be started. */
  let unavailable: ExtractionUnavailableError | undefined;
  let closed = false;
  let onAllEnded: (() => void) | undefined;

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

  /** Starts the missing children; while starts fail, one per interval. */
  function refill(): void {
    clearTimeout(nextStart);
    if (unavailable === undefined) {
      while (slots.size < processes) start();
    } else if (slots.size < processes) {
      nextStart = setTimeout(start, startIntervalMs).unref();
    }
  }

  function start(): void {
    const slot: Slot = {
      process: startProcess(
        { memoryMb, limits, isolation, ...child },
        { onReply: (reply) => handleReply(slot, reply), onEnd: (end) => handleEnd(slot, end) },
      ),
      isReady: false,
      isEnding: false,
      get isFree() {
        return this.isReady && !this.isEnding && this.job === undefined;
      },
      job: undefined,
      timer: undefined,
      startedAt: 0,
      endedAt: 0,
      completedJobs: 0,
      owner: undefined,
      hasOneOwner: true,
      isExclusive: false,
      exclusiveMs: 0,
    };
    slots.add(slot);
    slot.process.keepAlive(waiting.length > 0);
  }

  /** Expected are one `ready`, then at most one `exclusive`, and one other reply for each job. */
  function isExpected(slot: Slot, reply: Reply<TaskName>): boolean {
    if (reply.kind === 'ready') return !slot.isReady;
    return slot.job !== undefined && !(reply.kind === 'exclusive' && slot.isExclusive);
  }

  function handleReply(slot: Slot, reply: Reply<TaskName> | undefined): void {
    // The child was killed after it sent this.
    if (slot.isEnding) return;
    if (reply === undefined || !isExpected(slot, reply)) {
      kill(slot, 'reply');
      return;
    }
    switch (reply.kind) {
      case 'ready':
        slot.isReady = true;
        failedStarts = 0;
        unavailable = undefined;
        refill();
        break;
      case 'exclusive':
        slot.isExclusive = true;
        return;
      case 'reassign':
        requeue(release(slot));
        break;
      default: {
        const job = release(slot);
        slot.completedJobs += 1;
        const resident = slot.process.residentBytes() ?? 0;
        if (slot.completedJobs >= recycleAfter || resident > memoryBytes * recycleAtMemoryShare) retire(slot);
        job?.settle(reply);
      }
    }
    assign();
  }

  /** Puts a job that needs a child of its own owner first in the queue: its turn was not used. */
  function requeue(job: Job | undefined): void {
    if (job === undefined) return;
    if (job.needsOwnChild) {
      job.fail(new SourceError('internal', 'The extraction process rejected the content twice.'));
      return;
    }
    job.needsOwnChild = true;
    waiting.unshift(job);
    lastTurns.delete(job.owner);
  }

  function handleEnd(slot: Slot, { error, description, isStartTimeout }: ProcessEnd): void {
    release(slot)?.fail(error);
    slots.delete(slot);
    if (closed) {
      if (slots.size === 0) onAllEnded?.();
      return;
    }
    if (!slot.isReady) failedStarts += 1;
    if (!slot.isReady && failedStarts >= maxFailedStarts) {
      unavailable = new ExtractionUnavailableError(isStartTimeout ? 'timeout' : 'failing', description);
    }
    refill();
    failWaiting();
  }

  /** While no child can be started, waiting jobs fail immediately. */
  function failWaiting(): void {
    if (unavailable === undefined) return;
    for (const job of waiting.splice(0)) job.fail(unavailable);
  }

  /** Kills a child that is not to be used any more; `handleEnd` starts its replacement. */
  function retire(slot: Slot): void {
    kill(slot, 'retire');
  }

  function kill(slot: Slot, reason: KillReason): void {
    slot.isEnding = true;
    slot.process.kill(reason);
  }

  /** Makes the child free and returns the job that it had. */
  function release(slot: Slot): Job | undefined {
    const { job } = slot;
    clearTimeout(slot.timer);
    slot.job = undefined;
    slot.endedAt = performance.now();
    if (slot.isExclusive) slot.exclusiveMs += slot.endedAt - slot.startedAt;
    slot.process.keepAlive(false);
    return job;
  }

  /** Gives waiting jobs to free children. */
  function assign(): void {
    /** Owners whose turn it is, but whose documents no free child may read. */
    const skippedOwners = new Set<string>();
    while ([...slots].some(({ isFree }) => isFree)) {
      const job = nextJob(skippedOwners);
      if (job === undefined) break;
      const slot = selectChild(slots, job);
      if (slot === undefined) {
        skippedOwners.add(job.owner);
        ensureStarting(skippedOwners.size);
      } else {
        startJob(slot, job);
      }
    }
    if (waiting.length > 0) for (const slot of slots) slot.process.keepAlive(true);
  }

  /** Replaces a free child unless at least `count` new children are starting. */
  function ensureStarting(count: number): void {
    const starting = [...slots].filter(({ isReady, isEnding }) => !isReady || isEnding).length;
    const slot = starting < count ? selectChildToReplace(slots, waiting) : undefined;
    if (slot !== undefined) retire(slot);
  }

  function startJob(slot: Slot, job: Job): void {
    waiting.splice(waiting.indexOf(job), 1);
    // Turns only count while jobs wait; clearing them bounds the map.
    if (waiting.length === 0) lastTurns.clear();
    lastTurns.set(job.owner, ++turns);
    slot.hasOneOwner &&= slot.owner === undefined || slot.owner === job.owner;
    slot.owner = job.owner;
    slot.job = job;
    slot.startedAt = performance.now();
    slot.process.keepAlive(true);
    slot.timer = setTimeout(() => kill(slot, 'timeout'), timeoutMs);
    slot.process.send({ request: job.request, hasOneOwner: slot.hasOneOwner });
  }

  /** The first waiting job of the owner whose last turn is the longest ago. */
  function nextJob(skippedOwners: ReadonlySet<string>): Job | undefined {
    let next: Job | undefined;
    let oldestTurn = Number.POSITIVE_INFINITY;
    for (const job of waiting) {
      const turn = lastTurns.get(job.owner) ?? 0;
      if (turn < oldestTurn && !skippedOwners.has(job.owner)) [next, oldestTurn] = [job, turn];
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
    {
      owner = '',
      signal,
      waitSignal,
    }: { owner?: string; signal?: AbortSignal; waitSignal?: AbortSignal | undefined } = {},
  ): Promise<TaskResult<Name>> {
    return new Promise((resolve, reject) => {
      if (closed) throw new SourceError('internal', 'The service is shutting down.');
      signal?.throwIfAborted();
      waitSignal?.throwIfAborted();
      const abort = () => cancel(job, signal?.reason);
      const stopWaiting = () => {
        if (waiting.includes(job)) cancel(job, waitSignal?.reason);
      };
      const forget = () => {
        signal?.removeEventListener('abort', abort);
        waitSignal?.removeEventListener('abort', stopWaiting);
      };
      const job: Job = {
        owner,
        request: requestOf(task, input),
        needsOwnChild: false,
        settle: (reply) => {
          forget();
          if (!isReply<Name>(reply)) return;
          if (reply.kind === 'result') resolve(reply.result);
          else if (reply.kind === 'failure') reject(errorOf(reply.failure));
        },
        fail: (error) => {
          forget();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      waitSignal?.addEventListener('abort', stopWaiting, { once: true });
      enqueue(job);
    });
  }

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    clearInterval(watch);
    clearTimeout(nextStart);
    process.off('exit', killAll);
    for (const job of waiting.splice(0)) job.fail(new SourceError('internal', 'The service is shutting down.'));
    if (slots.size === 0) return;
    await new Promise<void>((resolve) => {
      onAllEnded = resolve;
      for (const slot of slots) slot.process.keepAlive(true);
      killAll();
    });
  }

  return {
    run,
    isAvailable: () => unavailable === undefined,
    pids: () => [...slots].flatMap((slot) => slot.process.pid() ?? []),
    close,
  };
}
