import { CancellationScope } from '@temporalio/workflow';
import { MAX_OPEN_DELIVERIES, type PendingPostback } from '../contract/commands.ts';
import { deliverPostback } from './activities.ts';

/** The postback deliveries in progress. They run beside the generation, each in its own scope, and never reject. */
export class Deliveries {
  readonly #open = new Map<string, { scope: CancellationScope; settled: Promise<void> }>();
  #hasUnlisted = false;

  get size(): number {
    return this.#open.size;
  }

  /** Whether to list pending postbacks again: there may be unlisted ones, and at most half of the limit is in use. */
  get wantsMore(): boolean {
    return this.#hasUnlisted && this.#open.size <= MAX_OPEN_DELIVERIES / 2;
  }

  /** Starts the deliveries that are not in progress yet. `pending` has at most MAX_OPEN_DELIVERIES entries. */
  start(pending: PendingPostback[]): void {
    const before = this.#open.size;
    for (const postback of pending) {
      if (this.#open.size >= MAX_OPEN_DELIVERIES) break;
      this.#startOne(postback);
    }
    // A full list without a new postback would have none the next time either.
    this.#hasUnlisted = pending.length === MAX_OPEN_DELIVERIES && this.#open.size > before;
  }

  #startOne(postback: PendingPostback): void {
    const key = `${postback.postbackId}/${postback.round}`;
    if (this.#open.has(key)) return;
    const scope = new CancellationScope({ cancellable: true });
    const settled = scope
      .run(() => deliverPostback(postback))
      // Canceled, or failed by a bug: the row is still pending, and the reconciler sends `deliver` again.
      .catch(() => undefined)
      .then(() => {
        this.#open.delete(key);
      });
    this.#open.set(key, { scope, settled });
  }

  /** Cancels all deliveries and waits until they have ended. */
  async stop(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { scope } of open) scope.cancel();
    await Promise.all(open.map(({ settled }) => settled));
  }
}
