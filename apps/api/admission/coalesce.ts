/** Coalesces concurrent calls with the same key into one call of `work`. */

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * While `work` runs for a key, further calls with this key wait; then one run of `work` serves all of them. The run for
 * a call always starts after the call, so that it sees every earlier change. `work` returns one result for each item,
 * in their order.
 */
export function coalesce<Item, Result>(
  work: (key: string, items: Item[]) => Promise<Result[]>,
): (key: string, item: Item) => Promise<Result> {
  const busy = new Map<string, Waiting<Item, Result>[]>();

  async function run(key: string, calls: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(
        key,
        calls.map(({ item }) => item),
      );
      for (const [index, result] of results.entries()) calls[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
    const next = busy.get(key) ?? [];
    if (next.length === 0) {
      busy.delete(key);
    } else {
      busy.set(key, []);
      void run(key, next);
    }
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const call = { item, resolve, reject };
      const queue = busy.get(key);
      if (queue !== undefined) {
        queue.push(call);
        return;
      }
      busy.set(key, []);
      void run(key, [call]);
    });
}
