/** Observes state changes of sources over HTTP, by event streams and waits, in the order in which they arrive. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sourceStatuses } from '../../../contract/statuses.ts';
import { openStream } from '../../support/event-stream.ts';
import type { History } from './history.ts';
import { type Actor, acceptanceOf, type ChaosUser, sendToAnyApi } from './requests.ts';

const seenSchema = z.object({
  id: z.string(),
  generation: z.int(),
  revision: z.int(),
  status: z.enum(sourceStatuses),
  resultGeneration: z.int().nullable(),
});
export interface Seen extends z.infer<typeof seenSchema> {
  /** Time of arrival, in milliseconds since 1970. */
  at: number;
}

/** States of a source that one stream or wait delivered, in order. */
export interface Sequence {
  id: string;
  states: Seen[];
}

export interface Observer {
  seen: Map<string, Seen[]>;
  stop(): Promise<void>;
}

/** Follows the event stream of a space and reopens it whenever it ends. */
export function observe({ apiUrls, key }: ChaosUser, spaceId: string): Observer {
  const seen = new Map<string, Seen[]>();
  const stopping = new AbortController();
  let close: (() => Promise<void>) | undefined;

  async function follow(): Promise<void> {
    let lastEventId: string | undefined;
    for (let opened = 0; !stopping.signal.aborted; opened++) {
      const apiUrl = apiUrls[opened % apiUrls.length];
      const url = `${apiUrl}/v1/spaces/${spaceId}/events`;
      const stream = await openStream(url, key, lastEventId).catch(() => undefined);
      if (stream !== undefined) {
        close = stream.close;
        if (stopping.signal.aborted) await close();
        await stream.ended;
        for (const { event, data, id, at } of stream.events) {
          lastEventId = id || lastEventId;
          if (event !== 'source') continue;
          const state = { ...seenSchema.parse(data), at };
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

/** Sequences of single streams and waits. */
const sequences = new WeakMap<History, Sequence[]>();

export function sequencesOf(history: History): Sequence[] {
  const list = sequences.get(history) ?? [];
  sequences.set(history, list);
  return list;
}

/** Reads the stream of one source for `ms` milliseconds. Returns whether it opened. */
export async function streamFor({ user, chance, history }: Actor, sourceId: string, ms: number): Promise<boolean> {
  const url = `${chance.pick(user.apiUrls)}/v1/sources/${sourceId}/events`;
  const sentAt = Date.now();
  const stream = await openStream(url, user.key).catch(() => undefined);
  const states: Seen[] = [];
  if (stream !== undefined) {
    await Promise.race([stream.ended, delay(ms)]);
    await stream.close();
    for (const { event, data, at } of stream.events) {
      if (event === 'source') states.push({ ...seenSchema.parse(data), at });
    }
    sequencesOf(history).push({ id: sourceId, states });
  }
  const status = stream?.status ?? null;
  history.recordOther({
    ...{ action: 'stream a source', subject: sourceId, detail: `${states.length} states`, responseId: null },
    ...{ sentAt, respondedAt: stream === undefined ? null : Date.now(), status },
    acceptance: status === null || status >= 500 ? 'unknown' : states.length > 0 ? 'accepted' : 'rejected',
  });
  return stream !== undefined;
}

const WAIT_SECONDS = 4;
/** A wait without a change that ends earlier than this has ended too early. */
const MIN_WAIT_MS = (WAIT_SECONDS - 1) * 1_000;
const ends = ['COMPLETED', 'FAILED', 'CANCELED'];
const sourceSchema = z.object({ data: seenSchema });

/** Waits for the next change of a source. Returns whether there was a response. */
export async function waitForChange(actor: Actor, sourceId: string): Promise<boolean> {
  const { history } = actor;
  const before = sourceSchema.safeParse((await sendToAnyApi(actor, 'GET', `/v1/sources/${sourceId}`))?.body).data?.data;
  if (before === undefined) return false;
  const sentAt = Date.now();
  const path = `/v1/sources/${sourceId}?waitSeconds=${WAIT_SECONDS}&since=${before.revision}`;
  const response = await sendToAnyApi(actor, 'GET', path);
  const after = sourceSchema.safeParse(response?.body).data?.data;
  const respondedAt = Date.now();
  if (after !== undefined) {
    sequencesOf(history).push({
      id: sourceId,
      states: [
        { ...before, at: sentAt },
        { ...after, at: respondedAt },
      ],
    });
  }
  const isEarly =
    after?.revision === before.revision && !ends.includes(after.status) && respondedAt - sentAt < MIN_WAIT_MS;
  history.recordOther({
    ...{ action: 'wait for a source', subject: sourceId, responseId: null, sentAt, acceptance: acceptanceOf(response) },
    ...{ respondedAt: response === null ? null : respondedAt, status: response?.status ?? null },
    detail: isEarly ? `ended after ${respondedAt - sentAt} ms without a change` : '',
  });
  return response !== null;
}
