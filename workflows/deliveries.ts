import { CancellationScope } from '@temporalio/workflow';
import { MAX_OPEN_DELIVERIES, type PendingPostback } from '../contract/commands.ts';
import { deliverPostback } from './steps.ts';

/** Postbacks under way, beside whatever generation runs: each in a scope of its own, none ever rejecting. */
export class Deliveries {
  readonly #open = new Map<string, { scope: CancellationScope; settled: Promise<void> }>();
  #mayBeMore = false;

  get size(): number {
    return this.#open.size;
  }

  /** Whether the source may have more pending postbacks than were listed, and there is room for many of them. */
  get wantsMore(): boolean {
    return this.#mayBeMore && this.#open.size <= MAX_OPEN_DELIVERIES / 2;
  }

  /** Starts what is not under way yet, of a list that holds MAX_OPEN_DELIVERIES at most. */
  start(owed: PendingPostback[]): void {
    const before = this.#open.size;
    for (const postback of owed) {
      if (this.#open.size >= MAX_OPEN_DELIVERIES) break;
      this.#startOne(postback);
    }
    // A full list that had nothing new would have nothing new the next time either.
    this.#mayBeMore = owed.length === MAX_OPEN_DELIVERIES && this.#open.size > before;
  }

  #startOne(postback: PendingPostback): void {
    const key = `${postback.postbackId}/${postback.round}`;
    if (this.#open.has(key)) return;
    const scope = new CancellationScope({ cancellable: true });
    const settled = scope
      .run(() => deliverPostback(postback))
      // Canceled, or failed by a mistake of ours: the row is still pending, and the reconciler asks again.
      .catch(() => undefined)
      .then(() => {
        this.#open.delete(key);
      });
    this.#open.set(key, { scope, settled });
  }

  /** Stops all of them and waits until none runs any more. */
  async stop(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { scope } of open) scope.cancel();
    await Promise.all(open.map(({ settled }) => settled));
  }
}
