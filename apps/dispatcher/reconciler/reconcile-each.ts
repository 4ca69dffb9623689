import { dependencyTrouble, reportTrouble } from '../../../platform/dependency-trouble.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

/** What every question of one round of the reconciler works with. */
export interface Round extends DispatcherDependencies {
  /** After this time (ms since 1970) a question takes no further batch. */
  endsAt: number;
  /** Whether workers ask for work; Temporal is asked once in a round. */
  workersPoll(): Promise<boolean>;
}

const BATCH = 100;
/** Most calls to Temporal that are open at once for one question. */
const AT_ONCE = 5;
/** Failures in a row after which Temporal or the database counts as away. */
const FAILURES_WHEN_AWAY = 5;

/**
 * Looks at what `next` gives, batch after batch until one is not full or the round has used its time; a batch must not
 * come twice. An item that fails is left for the next round; when nothing succeeds the rest is left too, since nothing
 * can be concluded of any of them.
 * @throws the error by which Temporal or the database was found to be away.
 */
export async function reconcileEach<Item extends object>(
  round: Round,
  next: (limit: number) => Promise<Item[]>,
  look: (item: Item) => Promise<void>,
): Promise<void> {
  let failuresInARow = 0;
  for (let full = true; full; ) {
    const items = await next(BATCH);
    full = items.length === BATCH && Date.now() < round.endsAt;
    let away: unknown;
    const lookOn = async () => {
      for (let item = items.shift(); item !== undefined && away === undefined; item = items.shift()) {
        try {
          await look(item);
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
    await Promise.all(Array.from({ length: AT_ONCE }, lookOn));
    if (away !== undefined) throw away;
  }
}

/** For questions whose batches would come again in the same round: `find` is asked once. */
export function once<Item>(find: (limit: number) => Promise<Item[]>): (limit: number) => Promise<Item[]> {
  let asked = false;
  return async (limit) => {
    if (asked) return [];
    asked = true;
    return find(limit);
  };
}
