import { isRefusal } from '../../platform/temporal.ts';
import type { DispatcherDependencies } from './dispatcher.ts';

/**
 * Looks at one thing after the other. One that fails for a reason of its own is left for the next sweep; when
 * Temporal is out of reach the sweep ends, since nothing can be concluded of any of them.
 */
export async function eachOwed<Item extends object>(
  { logger }: DispatcherDependencies,
  items: Item[],
  look: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    try {
      await look(item);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      logger.warn({ event: 'reconciler.item_failed', ...item, err: error });
    }
  }
}
