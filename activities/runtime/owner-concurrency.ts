/**
 * Owner slots. Activities that wait for servers outside the service may wait long, so no owner may occupy all activity
 * slots of a worker: each has a share (a quarter, see apps/worker/main.ts). An activity without an owner slot gives its
 * worker slot back and is retried.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** Wait limit for an owner slot. It bounds how often the activities of a busy owner are retried without one. */
const WAIT_LIMIT_MS = 1_000;
/** Retry delay after that; at random up to twice as long. */
const RETRY_DELAY_MS = 1_000;

/** The owner slots of one worker process. */
export class OwnerSlots {
  readonly #limit: number;
  readonly #taken = new Map<string, number>();
  /** Waiting activities by owner, first come first served. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** @param limit Slots that an owner may hold at the same time. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Acquires a slot, or returns false when none became free within a second. @throws the reason of `signal` */
  async acquire(owner: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const taken = this.#taken.get(owner) ?? 0;
    if (taken < this.#limit) {
      this.#taken.set(owner, taken + 1);
      return true;
    }
    const waiting = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, waiting);
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        waiting.delete(grant);
        if (waiting.size === 0) this.#waiting.delete(owner);
        end();
      };
      const grant = () => settle(() => resolve(true));
      const abort = () => settle(() => reject(signal.reason));
      const timer = setTimeout(() => settle(() => resolve(false)), WAIT_LIMIT_MS);
      signal.addEventListener('abort', abort, { once: true });
      waiting.add(grant);
    });
  }

  /** Releases a slot; the first waiting activity of the owner gets it. */
  release(owner: string): void {
    const [next] = this.#waiting.get(owner) ?? [];
    const left = (this.#taken.get(owner) ?? 1) - 1;
    if (next !== undefined) next();
    else if (left === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, left);
  }
}

/** The owner of the activity's run: the fairness key, which activities inherit from their workflow. */
export function currentOwner(): string {
  return Context.current().info.priority?.fairnessKey ?? '';
}

/**
 * Returns a function that acquires an owner slot for the current activity and returns its release.
 * @throws ApplicationFailure `OwnerLimitReached`: Temporal schedules the activity again, and the attempt is no try
 */
export function acquireOwnerSlot(slots: OwnerSlots): (signal: AbortSignal) => Promise<() => void> {
  const owner = currentOwner();
  return async (signal) => {
    if (!(await slots.acquire(owner, signal))) throw ownerLimitReached();
    return () => slots.release(owner);
  };
}

function ownerLimitReached(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'OwnerLimitReached',
    message: 'All slots of this owner in this worker are in use.',
    nextRetryDelay: RETRY_DELAY_MS * (1 + Math.random()),
  });
}
