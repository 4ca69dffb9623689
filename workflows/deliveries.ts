import { CancellationScope } from '@temporalio/workflow';
import type { OwedPostback } from '../contract/commands.ts';
import { deliverPostback } from './steps.ts';

/** Postbacks under way, beside whatever generation runs: each in a scope of its own, none ever rejecting. */
export class Deliveries {
  readonly #open = new Map<string, { scope: CancellationScope; settled: Promise<void> }>();

  get size(): number {
    return this.#open.size;
  }

  /** Starts what is not under way yet. */
  start(owed: OwedPostback[]): void {
    for (const postback of owed) {
      const key = `${postback.postbackId}/${postback.round}`;
      if (this.#open.has(key)) continue;
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
  }

  /** Stops all of them and waits until none runs any more. */
  async stop(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { scope } of open) scope.cancel();
    await Promise.all(open.map(({ settled }) => settled));
  }
}
