import { isRefusal } from '../../platform/temporal.ts';
import type { Round } from './round.ts';

const BATCH = 100;
/** Most calls to Temporal that are open at once. */
const AT_ONCE = 10;

/**
 * Looks at what `next` gives, batch after batch until one is not full or the round has used its time; a batch must not
 * come twice. One that fails for a reason of its own is left for the next round; when Temporal is out of reach the rest
 * is left too, since nothing can be concluded of any of them.
 * @throws the error by which Temporal was found to be out of reach.
 */
export async function eachOwed<Item extends object>(
  { logger, endsAt }: Round,
  next: (limit: number) => Promise<Item[]>,
  look: (item: Item) => Promise<void>,
): Promise<void> {
  for (let full = true; full; ) {
    const items = await next(BATCH);
    full = items.length === BATCH && Date.now() < endsAt;
    let away: unknown;
    const lookOn = async () => {
      for (let item = items.shift(); item !== undefined && away === undefined; item = items.shift()) {
        try {
          await look(item);
        } catch (error) {
          if (!isRefusal(error)) away = error;
          else logger.warn({ event: 'reconciler.item_failed', ...item, err: error });
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
