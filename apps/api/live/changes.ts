/** Distributes change notifications of the database to the subscribers in this process. */
import { type Change, listenForChanges } from '../../../db/changes.ts';
import type { Logger } from '../../../platform/logger.ts';

/** Interval at which all subscribers recheck: a notification can be lost with its connection. */
const RECHECK_MS = 5_000;

/** One source, all sources of a space, a space itself, or all keys or users. */
export type Topic = `source:${string}` | `sources-of:${string}` | `space:${string}` | 'key' | 'user';

export interface Changes {
  /** Calls `notify` at each change of these topics, and at `anything`; returns the function that unsubscribes. */
  subscribe(topics: Topic[], notify: (change: Change) => void): () => void;
  close(): Promise<void>;
}

function topicsOf(change: Change): Topic[] {
  switch (change.kind) {
    case 'source':
      return [`source:${change.id}`, `sources-of:${change.spaceId}`];
    case 'space':
      return [`space:${change.id}`];
    case 'key':
    case 'user':
      return [change.kind];
    case 'artifact':
    case 'anything':
      return [];
  }
}

/** Listens on one connection of its own; `close` ends it. */
export function openChanges(databaseUrl: string, logger: Logger): Changes {
  type Subscriber = (change: Change) => void;
  const all = new Set<Subscriber>();
  const byTopic = new Map<Topic, Set<Subscriber>>();

  function publish(change: Change): void {
    const subscribers =
      change.kind === 'anything' ? all : topicsOf(change).flatMap((topic) => [...(byTopic.get(topic) ?? [])]);
    for (const notify of [...subscribers]) notify(change);
  }

  const listener = listenForChanges(databaseUrl, logger, publish);
  const timer = setInterval(() => publish({ kind: 'anything' }), RECHECK_MS);
  timer.unref();

  return {
    subscribe(topics, notify) {
      all.add(notify);
      for (const topic of topics) {
        const subscribers = byTopic.get(topic) ?? new Set();
        byTopic.set(topic, subscribers.add(notify));
      }
      return () => {
        all.delete(notify);
        for (const topic of topics) {
          const subscribers = byTopic.get(topic);
          subscribers?.delete(notify);
          if (subscribers?.size === 0) byTopic.delete(topic);
        }
      };
    },
    async close() {
      clearInterval(timer);
      await listener.close();
    },
  };
}
