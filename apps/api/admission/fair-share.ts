/** Limits concurrent use of a scarce resource, with a share for each owner; further requests wait in order. */
import { AppError } from '../errors.ts';

interface Waiting {
  owner: string;
  amount: number;
  grant(): void;
}

interface Limits {
  /** Of all owners together. */
  max: number;
  maxPerOwner: number;
  /** A request that waits longer is rejected with 503. */
  waitTimeoutMs: number;
}

export class FairShare {
  readonly #limits: Limits;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
  #waiting: Waiting[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Takes `amount` as soon as it is free, and returns the function that releases it. An amount above a limit is granted
   * when nothing else is taken.
   * @throws AppError 503 after `waitTimeoutMs`; the reason of `signal`
   */
  async take(owner: string, amount: number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { owner, amount, grant: () => settle(resolve) };
      const abandon = (reason: unknown) => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        settle(() => reject(reason));
        // It may have blocked the requests behind it.
        this.#grantWaiting();
      };
      const abort = () => abandon(signal?.reason);
      const timer = setTimeout(() => abandon(busy()), this.#limits.waitTimeoutMs);
      const settle = (end: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        end();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiting);
      this.#grantWaiting();
    });
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(owner, -amount);
      isTaken = false;
      this.#grantWaiting();
    };
  }

  /** Grants waiting requests in order; requests beyond the share of their owner are skipped. */
  #grantWaiting(): void {
    const { max, maxPerOwner } = this.#limits;
    for (const waiting of [...this.#waiting]) {
      const { owner, amount } = waiting;
      const ofOwner = this.#takenBy.get(owner) ?? 0;
      if (ofOwner > 0 && ofOwner + amount > maxPerOwner) continue;
      // No later request is granted first: smaller ones would keep a large one waiting forever.
      if (this.#taken > 0 && this.#taken + amount > max) return;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      this.#add(owner, amount);
      waiting.grant();
    }
  }

  #add(owner: string, amount: number): void {
    this.#taken += amount;
    const ofOwner = (this.#takenBy.get(owner) ?? 0) + amount;
    if (ofOwner === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, ofOwner);
  }
}

function busy(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Too many requests are in progress. Try again in a moment.', {
    headers: { 'retry-after': '5' },
  });
}
