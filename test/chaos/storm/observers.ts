/** Watches every change of a space's sources over HTTP, in the order in which the service tells them. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sourceStatuses } from '../../../contract/statuses.ts';
import { openStream } from '../../support/event-stream.ts';
import type { StormUser } from './clients.ts';

const seenSchema = z.object({
  id: z.string(),
  generation: z.int(),
  revision: z.int(),
  status: z.enum(sourceStatuses),
  resultGeneration: z.int().nullable(),
});
export type Seen = z.infer<typeof seenSchema>;

export interface Observer {
  /** What it saw of each source, in order. */
  seen: Map<string, Seen[]>;
  stop(): Promise<void>;
}

/** Follows the event stream of the user's space, and opens it again whenever it breaks off. */
export function observe(user: StormUser): Observer {
  const seen = new Map<string, Seen[]>();
  const stopping = new AbortController();
  let close: (() => Promise<void>) | undefined;

  async function follow(): Promise<void> {
    let lastEventId: string | undefined;
    while (!stopping.signal.aborted) {
      const url = `${user.apiUrl}/v1/spaces/${user.spaceId}/events`;
      const stream = await openStream(url, user.key, lastEventId).catch(() => undefined);
      if (stream !== undefined) {
        close = stream.close;
        if (stopping.signal.aborted) await close();
        await stream.ended;
        for (const { event, data, id } of stream.events) {
          lastEventId = id || lastEventId;
          if (event !== 'source') continue;
          const state = seenSchema.parse(data);
          seen.set(state.id, [...(seen.get(state.id) ?? []), state]);
        }
      }
      await delay(200, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const following = follow();
  return {
    seen,
    async stop() {
      stopping.abort();
      await close?.();
      await following;
    },
  };
}
