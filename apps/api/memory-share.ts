/** Memory that requests use at once: each owner has a share of it, and what finds it taken waits for its turn. */

interface Waiting {
  owner: string;
  bytes: number;
  begin(): void;
}

export class MemoryShare {
  readonly #most: number;
  readonly #mostOfOwner: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
  #waiting: Waiting[] = [];

  /** @param most Bytes of all owners together. @param mostOfOwner Bytes of one of them. */
  constructor({ most, mostOfOwner }: { most: number; mostOfOwner: number }) {
    this.#most = most;
    this.#mostOfOwner = mostOfOwner;
  }

  /**
   * Takes so many bytes as soon as they are free, and returns how to give them back. What is more than may be taken at
   * once waits until nothing else is.
   * @throws the reason of `signal`
   */
  async take(owner: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { owner, bytes, begin: () => settle(resolve) };
      const abort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        settle(() => reject(signal.reason));
      };
      const settle = (end: () => void) => {
        signal.removeEventListener('abort', abort);
        end();
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiting);
      this.#begin();
    });
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(owner, -bytes);
      isTaken = false;
      this.#begin();
    };
  }

  /** Begins what fits, in the order in which it came; an owner without room is passed over. */
  #begin(): void {
    for (const waiting of [...this.#waiting]) {
      const { owner, bytes } = waiting;
      const ofOwner = this.#takenBy.get(owner) ?? 0;
      if (ofOwner > 0 && ofOwner + bytes > this.#mostOfOwner) continue;
      // Smaller ones that came later would keep a large one waiting for ever.
      if (this.#taken > 0 && this.#taken + bytes > this.#most) return;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      this.#add(owner, bytes);
      waiting.begin();
    }
  }

  #add(owner: string, bytes: number): void {
    this.#taken += bytes;
    const ofOwner = (this.#takenBy.get(owner) ?? 0) + bytes;
    if (ofOwner === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, ofOwner);
  }
}
