/**
 * Counts the tries of an activity. Temporal's attempt number includes attempts without an owner slot and attempts that
 * a dependency made fail; they are no tries. So tries are counted in heartbeat details, which the next attempt reads.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Fence } from '../../db/queries/generations/fenced-out.ts';
import { dependencyTrouble } from '../../platform/dependency-trouble.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface Tries {
  /** The number of tries, this one included. */
  count: number;
  /** When Temporal scheduled the first try, in milliseconds since 1970: workers' clocks may be minutes apart. */
  firstAt: number;
  /** Milliseconds from then until Temporal scheduled this try. */
  elapsedMs: number;
}

/** The heartbeat details. */
type Counted = Pick<Tries, 'count' | 'firstAt'>;

function triesBefore(details: unknown): Counted | null {
  if (typeof details !== 'object' || details === null || !('count' in details) || !('firstAt' in details)) return null;
  const { count, firstAt } = details;
  return typeof count === 'number' && typeof firstAt === 'number' ? { count, firstAt } : null;
}

/** The first attempt as one try, if this is a later attempt and the first left no details; null in the first one. */
function triesWithoutDetails({ info }: Context): Counted | null {
  return info.attempt === 1 ? null : { count: 1, firstAt: info.scheduledTimestampMs };
}

/** Failure type of a composition that waits for its members. */
export const membersNotEnded = 'MembersNotEnded';
/** Failure type of a fetch that waits because its owner's limit of fetches from the host is reached. */
export const hostAskedOften = 'HostAskedOften';
const waitTypes: readonly (string | null | undefined)[] = [membersNotEnded, hostAskedOften];

/** Whether the error only schedules a later attempt: the attempt is no try. */
export function isWait(error: unknown): boolean {
  return error instanceof ApplicationFailure && waitTypes.includes(error.type);
}

interface Options {
  /** After this many tries the failure is final, also when each try crashed its worker. Without it none is counted. */
  maxTries?: number;
  /** The work is too small to crash a worker: a failed try is counted at its end, without a heartbeat at the start. */
  cannotCrashWorker?: boolean;
  /** Called before the try: acquires a slot and returns its release, or throws when none is free. */
  admit?: (signal: AbortSignal) => Promise<() => void>;
}

/**
 * Runs `work` with heartbeats. Its signal is aborted when the run is canceled, when every write with `fence` is fenced
 * out, or when the worker shuts down.
 * @throws a non-retryable failure after `maxTries` tries
 */
export async function withTries<T>(
  { fences }: Pick<Dependencies, 'fences'>,
  fence: Fence,
  options: Options,
  work: (signal: AbortSignal, tries: Tries) => Promise<T>,
): Promise<T> {
  const { maxTries = Number.POSITIVE_INFINITY, admit } = options;
  const countsAtStart = Number.isFinite(maxTries) && options.cannotCrashWorker !== true;
  const context = Context.current();
  // The first attempt, which mostly succeeds, saves the heartbeat: without any details, it has crashed with its worker.
  const skipsFirst = countsAtStart && admit === undefined;
  const before = triesBefore(context.info.heartbeatDetails) ?? (skipsFirst ? triesWithoutDetails(context) : null);
  const watched = fences.watch(context.info.workflowExecution?.workflowId ?? '', fence);
  const canceled = context.cancellationSignal;
  const signal = AbortSignal.any([canceled, watched.signal]);
  try {
    return await withHeartbeat(async (_, beat) => {
      if (before !== null && before.count >= maxTries)
        throw final(new Error(`All ${maxTries} tries crashed their worker.`));
      const release = await admit?.(signal);
      const scheduledAt = context.info.currentAttemptScheduledTimestampMs;
      const firstAt = before?.firstAt ?? scheduledAt;
      const counted: Counted = { count: (before?.count ?? 0) + 1, firstAt };
      const noTry: Counted = { count: 0, firstAt };
      const isCounted = countsAtStart && !(skipsFirst && context.info.attempt === 1);
      try {
        // Before the work: content that crashes the worker must not do so before the try is counted.
        if (isCounted) beat(counted);
        return await work(signal, { ...counted, elapsedMs: Math.max(0, scheduledAt - firstAt) });
      } catch (error) {
        if (watched.signal.aborted && !canceled.aborted) throw watched.signal.reason;
        // A try that was ended by the shutdown of its worker does not count either.
        const counts = dependencyTrouble(error) === null && !isWait(error) && !signal.aborted;
        if (counts !== isCounted && Number.isFinite(maxTries)) setDetails(context, counts ? counted : before);
        else if (skipsFirst && !isCounted) setDetails(context, noTry);
        throw counts && counted.count >= maxTries ? final(error) : error;
      } finally {
        release?.();
      }
    });
  } finally {
    watched.release();
  }
}

/**
 * Sets the heartbeat details that the next attempt reads. Within 10 s of a heartbeat this costs no call: the report of
 * the failure carries them. The report of a cancel does not, but no attempt follows a cancel.
 */
function setDetails(context: Context, details: Counted | null): void {
  // A local activity has no later attempt: the work is done as a regular one.
  if (context.info.isLocal) return;
  if (context.cancellationDetails?.cancelRequested !== true) context.heartbeat(details);
}

/** The same failure, made non-retryable. */
function final(error: unknown): ApplicationFailure {
  const { type, details } = error instanceof ApplicationFailure ? error : { type: 'TriedTooOften', details: [] };
  const message = error instanceof ApplicationFailure ? error.message : 'The limit of tries is reached.';
  return ApplicationFailure.create({
    type: type ?? 'TriedTooOften',
    message,
    details: details ?? [],
    nonRetryable: true,
    ...(error instanceof Error ? { cause: error } : {}),
  });
}
