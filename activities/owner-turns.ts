/**
 * What asks other people's servers may wait for them as long as those like, so no owner may fill a worker with it:
 * each has a share of the slots, and what finds its owner's share taken gives its own slot back.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { withHeartbeat } from './heartbeat.ts';

/** How long an activity waits in its slot for a turn: so often, at most, the crowd of one owner comes by for nothing. */
const PATIENCE_MS = 1_000;
/** How long it stays away then, and up to twice as long. */
const AWAY_MS = 1_000;

/** The turns of one worker process. */
export class OwnerTurns {
  readonly #most: number;
  readonly #taken = new Map<string, number>();
  /** Those that wait, in their order; a turn that is given back goes to the first of its owner. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** @param most Turns that an owner may have at once. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a turn, or returns false when there was none within a second. @throws the reason of `signal` */
  async take(owner: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const taken = this.#taken.get(owner) ?? 0;
    if (taken < this.#most) {
      this.#taken.set(owner, taken + 1);
      return true;
    }
    const waiting = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, waiting);
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        waiting.delete(called);
        if (waiting.size === 0) this.#waiting.delete(owner);
        end();
      };
      const called = () => settle(() => resolve(true));
      const abort = () => settle(() => reject(signal.reason));
      const timer = setTimeout(() => settle(() => resolve(false)), PATIENCE_MS);
      signal.addEventListener('abort', abort, { once: true });
      waiting.add(called);
    });
  }

  /** Gives a turn back. */
  release(owner: string): void {
    const [next] = this.#waiting.get(owner) ?? [];
    const left = (this.#taken.get(owner) ?? 1) - 1;
    if (next !== undefined) next();
    else if (left === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, left);
  }
}

/** For whom the run of this activity was started: its fairness key, which Temporal hands down to activities. */
export function currentOwner(): string {
  return Context.current().info.priority?.fairnessKey ?? '';
}

/** The attempts of an activity that had a turn; the next one finds them in the details of the last heartbeat. */
export interface Tries {
  /** This one included. */
  count: number;
  /** When the first one began, in milliseconds since 1970. */
  firstAt: number;
}

function triesBefore(details: unknown): Tries | null {
  if (typeof details !== 'object' || details === null || !('count' in details) || !('firstAt' in details)) return null;
  const { count, firstAt } = details;
  return typeof count === 'number' && typeof firstAt === 'number' ? { count, firstAt } : null;
}

/**
 * Runs `work` in a turn of the owner for whom the run was started, with heartbeats. Where there is no turn, the
 * attempt fails and comes again through Temporal's queue; only attempts that had a turn count as tries, and the last
 * of `mostTries` is final.
 */
export async function inTurn<T>(
  turns: OwnerTurns,
  { mostTries }: { mostTries: number },
  work: (signal: AbortSignal, tries: Tries) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const owner = currentOwner();
  let tries = triesBefore(context.info.heartbeatDetails);
  return withHeartbeat(
    async (signal) => {
      if (!(await turns.take(owner, signal))) throw noTurn();
      try {
        tries = { count: (tries?.count ?? 0) + 1, firstAt: tries?.firstAt ?? Date.now() };
        return await work(signal, tries);
      } catch (error) {
        context.heartbeat(tries);
        throw tries !== null && tries.count >= mostTries && !signal.aborted ? final(error) : error;
      } finally {
        turns.release(owner);
      }
    },
    () => tries,
  );
}

function noTurn(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NoTurn',
    message: 'As much of this owner as may run at once in this worker is under way.',
    nextRetryDelay: AWAY_MS * (1 + Math.random()),
  });
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
