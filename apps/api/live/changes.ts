/** Changes of the database, handed to whoever waits for them in this process. */
import { type Change, listenForChanges } from '../../../db/changes.ts';
import type { Logger } from '../../../platform/logger.ts';

/** A notification may get lost with its connection: after so long everybody looks again all the same. */
const LOOK_AGAIN_MS = 5_000;

/** One source, all sources of a space, a space itself, or all keys or users. */
export type Topic = `source:${string}` | `sources-of:${string}` | `space:${string}` | 'key' | 'user';

export interface Changes {
  /** Calls `hear` at each change of these topics, and at `anything`; returns how to end that. */
  follow(topics: Topic[], hear: (change: Change) => void): () => void;
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

/** Listens with one connection of its own. */
export function openChanges(databaseUrl: string, logger: Logger): Changes {
  type Hear = (change: Change) => void;
  const everybody = new Set<Hear>();
  const byTopic = new Map<Topic, Set<Hear>>();

  function publish(change: Change): void {
    const hearing =
      change.kind === 'anything' ? everybody : topicsOf(change).flatMap((topic) => [...(byTopic.get(topic) ?? [])]);
    for (const hear of [...hearing]) hear(change);
  }

  const listener = listenForChanges(databaseUrl, logger, publish);
  const timer = setInterval(() => publish({ kind: 'anything' }), LOOK_AGAIN_MS);
  timer.unref();

  return {
    follow(topics, hear) {
      everybody.add(hear);
      for (const topic of topics) {
        const followers = byTopic.get(topic) ?? new Set();
        byTopic.set(topic, followers.add(hear));
      }
      return () => {
        everybody.delete(hear);
        for (const topic of topics) {
          const followers = byTopic.get(topic);
          followers?.delete(hear);
          if (followers?.size === 0) byTopic.delete(topic);
        }
      };
    },
    async close() {
      clearInterval(timer);
      await listener.close();
    },
  };
}
