/** What requests use at once of something scarce: each owner has a share of it, and who finds it taken waits for a turn. */
import { AppError } from '../errors.ts';

interface Waiting {
  owner: string;
  amount: number;
  begin(): void;
}

interface Limits {
  /** Of all owners together. */
  most: number;
  mostOfOwner: number;
  /** The longest that anybody waits. */
  patienceMs: number;
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
   * Takes so much as soon as it is free, and returns how to give it back. What is more than may be taken at once waits
   * until nothing else is.
   * @throws AppError 503 after `patienceMs`; the reason of `signal`
   */
  async take(owner: string, amount: number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { owner, amount, begin: () => settle(resolve) };
      const leave = (reason: unknown) => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        settle(() => reject(reason));
        // It may have held up those behind it.
        this.#begin();
      };
      const abort = () => leave(signal?.reason);
      const timer = setTimeout(() => leave(busy()), this.#limits.patienceMs);
      const settle = (end: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        end();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiting);
      this.#begin();
    });
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(owner, -amount);
      isTaken = false;
      this.#begin();
    };
  }

  /** Begins what fits, in the order in which it came; an owner without room is passed over. */
  #begin(): void {
    const { most, mostOfOwner } = this.#limits;
    for (const waiting of [...this.#waiting]) {
      const { owner, amount } = waiting;
      const ofOwner = this.#takenBy.get(owner) ?? 0;
      if (ofOwner > 0 && ofOwner + amount > mostOfOwner) continue;
      // Smaller ones that came later would keep a large one waiting for ever.
      if (this.#taken > 0 && this.#taken + amount > most) return;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      this.#add(owner, amount);
      waiting.begin();
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
  return new AppError('SERVICE_UNAVAILABLE', 'Too many requests are under way at once. Try again in a moment.', {
    headers: { 'retry-after': '5' },
  });
}
