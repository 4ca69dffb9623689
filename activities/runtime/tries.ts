/**
 * How often an activity was tried in earnest. Temporal's own count also holds attempts that got no turn of their owner
 * and those that met trouble of a part of ours; the details of the heartbeat, which the next attempt finds, do not.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Fence } from '../../db/queries/generations/fenced-out.ts';
import { dependencyTrouble } from '../../platform/dependency-trouble.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface Tries {
  /** This one included. */
  count: number;
  /** When Temporal scheduled the first one, in milliseconds since 1970: the clocks of workers may be minutes apart. */
  firstAt: number;
  /** Milliseconds from then to the beginning of this one. */
  elapsedMs: number;
}

/** As the heartbeat has it. */
type Counted = Pick<Tries, 'count' | 'firstAt'>;

function triesBefore(details: unknown): Counted | null {
  if (typeof details !== 'object' || details === null || !('count' in details) || !('firstAt' in details)) return null;
  const { count, firstAt } = details;
  return typeof count === 'number' && typeof firstAt === 'number' ? { count, firstAt } : null;
}

/** The try of the first attempt, which left nothing; null for that attempt itself. */
function unlessFirst({ info }: Context): Counted | null {
  return info.attempt === 1 ? null : { count: 1, firstAt: info.scheduledTimestampMs };
}

/** The type of the failure by which a composition waits for its members. */
export const membersNotEnded = 'MembersNotEnded';
/** The type of the failure by which a fetch waits until its owner may ask the host again. */
export const hostAskedOften = 'HostAskedOften';
const waits: readonly (string | null | undefined)[] = [membersNotEnded, hostAskedOften];

/** Whether an activity only waits: it did what it had to, and the attempt is no try. */
export function isWait(error: unknown): boolean {
  return error instanceof ApplicationFailure && waits.includes(error.type);
}

interface Options {
  /** After so many tries the failure is final, also when each of them ended with its worker. Without it none is counted. */
  maxTries?: number;
  /** The work is too little to end its worker: a try that fails is counted at its end, without a heartbeat before. */
  endsNoWorker?: boolean;
  /** Comes before the try: fails where there is no room for it now, and returns how to give the room back. */
  admit?: (signal: AbortSignal) => Promise<() => void>;
}

/**
 * Runs `work` with heartbeats. Its signal is aborted when the run is canceled, when nothing would be written for `fence`
 * any more, or when the worker shuts down.
 */
export async function withTries<T>(
  { fences }: Pick<Dependencies, 'fences'>,
  fence: Fence,
  options: Options,
  work: (signal: AbortSignal, tries: Tries) => Promise<T>,
): Promise<T> {
  const { maxTries = Number.POSITIVE_INFINITY, admit } = options;
  const countsFirst = Number.isFinite(maxTries) && options.endsNoWorker !== true;
  const context = Context.current();
  // The first attempt, with which most runs end, is spared the call: what leaves nothing at all has ended with its worker.
  const isSpared = countsFirst && admit === undefined;
  const before = triesBefore(context.info.heartbeatDetails) ?? (isSpared ? unlessFirst(context) : null);
  const followed = fences.follow(context.info.workflowExecution?.workflowId ?? '', fence);
  const canceled = context.cancellationSignal;
  const signal = AbortSignal.any([canceled, followed.signal]);
  try {
    return await withHeartbeat(async (_, beat) => {
      if (before !== null && before.count >= maxTries)
        throw final(new Error(`All of ${maxTries} workers ended on it.`));
      const release = await admit?.(signal);
      const scheduledAt = context.info.currentAttemptScheduledTimestampMs;
      const firstAt = before?.firstAt ?? scheduledAt;
      const counted: Counted = { count: (before?.count ?? 0) + 1, firstAt };
      const noTry: Counted = { count: 0, firstAt };
      const isCounted = countsFirst && !(isSpared && context.info.attempt === 1);
      try {
        // At once: content that ends a worker must not do so before the try is counted.
        if (isCounted) beat(counted);
        return await work(signal, { ...counted, elapsedMs: Math.max(0, scheduledAt - firstAt) });
      } catch (error) {
        if (followed.signal.aborted && !canceled.aborted) throw followed.signal.reason;
        // Nor does one count that its worker's shutdown ended.
        const counts = dependencyTrouble(error) === null && !isWait(error) && !signal.aborted;
        if (counts !== isCounted && Number.isFinite(maxTries)) leave(context, counts ? counted : before);
        else if (isSpared && !isCounted) leave(context, noTry);
        throw counts && counted.count >= maxTries ? final(error) : error;
      } finally {
        release?.();
      }
    });
  } finally {
    followed.release();
  }
}

/**
 * Has the next attempt find these details. Within 10 s of a heartbeat this one costs no call: the report of the failure
 * carries it. That of a cancel would not, but no attempt follows on that.
 */
function leave(context: Context, details: Counted | null): void {
  if (context.cancellationDetails?.cancelRequested !== true) context.heartbeat(details);
}

/** The same failure, but not to be tried again. */
function final(error: unknown): ApplicationFailure {
  const { type, details } = error instanceof ApplicationFailure ? error : { type: 'TriedTooOften', details: [] };
  const message = error instanceof ApplicationFailure ? error.message : 'It was tried too often.';
  return ApplicationFailure.create({
    type: type ?? 'TriedTooOften',
    message,
    details: details ?? [],
    nonRetryable: true,
    ...(error instanceof Error ? { cause: error } : {}),
  });
}
