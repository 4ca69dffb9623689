/**
 * What asks other people's servers may wait for them as long as those like, so no owner may fill a worker with it:
 * each has a share of the slots, and what finds its owner's share taken gives its own slot back.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** How long an activity waits in its slot for a turn: so often, at most, the crowd of one owner comes by for nothing. */
const PATIENCE_MS = 1_000;
/** How long it stays away then, and up to twice as long. */
const AWAY_MS = 1_000;

/** The turns of one worker process. */
export class OwnerSlots {
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

/**
 * Has an activity begin in a turn of the owner for whom its run was started. Where there is none, the attempt fails and
 * comes again through Temporal's queue, without counting as a try.
 */
export function acquireOwnerSlot(turns: OwnerSlots): (signal: AbortSignal) => Promise<() => void> {
  const owner = currentOwner();
  return async (signal) => {
    if (!(await turns.take(owner, signal))) throw ownerLimitReached();
    return () => turns.release(owner);
  };
}

function ownerLimitReached(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'OwnerLimitReached',
    message: 'As much of this owner as may run at once in this worker is under way.',
    nextRetryDelay: AWAY_MS * (1 + Math.random()),
  });
}
