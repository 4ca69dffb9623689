/** One piece of work for all who ask for the same at the same time. */

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Calls of one key wait while `work` is under way for it; then one call of `work` answers all that came meanwhile.
 * What answers a call has always begun after it, so that it sees whatever was true then. `work` returns one answer
 * for each item, in their order.
 */
export function coalesce<Item, Answer>(
  work: (key: string, items: Item[]) => Promise<Answer[]>,
): (key: string, item: Item) => Promise<Answer> {
  const busy = new Map<string, Waiting<Item, Answer>[]>();

  async function run(key: string, calls: Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await work(
        key,
        calls.map(({ item }) => item),
      );
      for (const [index, answer] of answers.entries()) calls[index]?.resolve(answer);
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
