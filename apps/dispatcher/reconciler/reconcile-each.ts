import { dependencyTrouble, reportTrouble } from '../../../platform/dependency-trouble.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

/** Dependencies and time limit that all reconcilers share in one round. */
export interface Round extends DispatcherDependencies {
  /** Time (ms since 1970) after which a reconciler claims no further batch. */
  endsAt: number;
  /** Whether workers poll the task queue; Temporal is asked once in a round. */
  workersPoll(): Promise<boolean>;
}

const BATCH = 100;
/** Concurrent calls to Temporal of one reconciler. */
const MAX_CONCURRENT = 5;
/** Failures in a row after which Temporal or the database counts as away. */
const FAILURES_WHEN_AWAY = 5;

/**
 * Calls `reconcile` for each item of `next`, batch by batch, until a batch is not full or the round has used its time.
 * `next` must not return an item twice. A failed item is left for the next round. After FAILURES_WHEN_AWAY failures by
 * dependency trouble in a row the remaining items are left too.
 * @throws the last of these errors.
 */
export async function reconcileEach<Item extends object>(
  round: Round,
  next: (limit: number) => Promise<Item[]>,
  reconcile: (item: Item) => Promise<void>,
): Promise<void> {
  let failuresInARow = 0;
  for (let full = true; full; ) {
    const items = await next(BATCH);
    full = items.length === BATCH && Date.now() < round.endsAt;
    let away: unknown;
    const reconcileItems = async () => {
      for (let item = items.shift(); item !== undefined && away === undefined; item = items.shift()) {
        try {
          await reconcile(item);
          failuresInARow = 0;
        } catch (error) {
          const trouble = dependencyTrouble(error);
          if (trouble === null) round.logger.warn({ event: 'reconciler.item_failed', ...item, err: error });
          else {
            reportTrouble(round, trouble, error);
            failuresInARow += 1;
            if (failuresInARow >= FAILURES_WHEN_AWAY) away = error;
          }
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, reconcileItems));
    if (away !== undefined) throw away;
  }
}

/** For a query that would return the same rows again in the same round: calls `find` once, then returns no items. */
export function once<Item>(find: (limit: number) => Promise<Item[]>): (limit: number) => Promise<Item[]> {
  let called = false;
  return async (limit) => {
    if (called) return [];
    called = true;
    return find(limit);
  };
}
