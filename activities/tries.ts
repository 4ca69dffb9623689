/**
 * How often an activity was tried in earnest. Temporal's own count also holds attempts that got no turn of their owner
 * and those that met trouble of a part of ours; the details of the heartbeat, which the next attempt finds, do not.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { dependencyTrouble } from '../platform/dependency-trouble.ts';
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
  /** After so many tries the failure is final, also when each of them ended with its worker. */
  maxTries: number;
  /** Comes before the try: fails where there is no room for it now, and returns how to give the room back. */
  admit?: (signal: AbortSignal) => Promise<() => void>;
}

/** Runs `work` with heartbeats; its signal is aborted when the run is canceled or the worker shuts down. */
export async function withTries<T>(
  { maxTries, admit }: Options,
  work: (signal: AbortSignal, tries: Tries) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const before = triesBefore(context.info.heartbeatDetails);
  let counted = before;
  return withHeartbeat(
    async (signal) => {
      if (before !== null && before.count >= maxTries)
        throw final(new Error(`All of ${maxTries} workers ended on it.`));
      const release = await admit?.(signal);
      const scheduledAt = context.info.currentAttemptScheduledTimestampMs;
      const firstAt = before?.firstAt ?? scheduledAt;
      const tries = { count: (before?.count ?? 0) + 1, firstAt, elapsedMs: Math.max(0, scheduledAt - firstAt) };
      try {
        counted = { count: tries.count, firstAt };
        // At once: content that ends a worker must not do so before the try is counted.
        context.heartbeat(counted);
        return await work(signal, tries);
      } catch (error) {
        // Nor does one count that its worker's shutdown ended.
        if (dependencyTrouble(error) !== null || isWait(error) || signal.aborted) counted = before;
        context.heartbeat(counted);
        throw counted !== null && counted.count >= maxTries && !signal.aborted ? final(error) : error;
      } finally {
        release?.();
      }
    },
    () => counted,
  );
}

/** The same failure, but not to be tried again. */
function final(error: unknown): ApplicationFailure {
  const { type, details } = error instanceof ApplicationFailure ? error : { type: 'TriedTooOften', details: [] };
  const message = error instanceof Error ? error.message : String(error);
  return ApplicationFailure.create({
    type: type ?? 'TriedTooOften',
    message,
    details: details ?? [],
    nonRetryable: true,
    ...(error instanceof Error ? { cause: error } : {}),
  });
}
