/** Reads the changes of sources over HTTP in the order in which the service sends them: streams and waits. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sourceStatuses } from '../../../contract/statuses.ts';
import { openStream } from '../../support/event-stream.ts';
import type { History } from './history.ts';
import { type Actor, askAny, type StormUser, verdictOf } from './requests.ts';

const seenSchema = z.object({
  id: z.string(),
  generation: z.int(),
  revision: z.int(),
  status: z.enum(sourceStatuses),
  resultGeneration: z.int().nullable(),
});
export interface Seen extends z.infer<typeof seenSchema> {
  /** When it arrived, milliseconds since 1970. */
  at: number;
}

/** The states of a source that one stream or wait sent, in order. */
export interface Sequence {
  id: string;
  states: Seen[];
}

export interface Observer {
  seen: Map<string, Seen[]>;
  stop(): Promise<void>;
}

/** Follows the event stream of a space of the user, and opens it again whenever it breaks off. */
export function observe({ apiUrls, key }: StormUser, spaceId: string): Observer {
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

/** What single streams and waits have shown. */
const sequences = new WeakMap<History, Sequence[]>();

export function sequencesOf(history: History): Sequence[] {
  const list = sequences.get(history) ?? [];
  sequences.set(history, list);
  return list;
}

/** Reads the stream of one source for some time. Returns whether it opened. */
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
    ...{ action: 'stream a source', subject: sourceId, detail: `${states.length} states`, answerId: null },
    ...{ sentAt, answeredAt: stream === undefined ? null : Date.now(), status },
    verdict: status === null || status >= 500 ? 'unknown' : states.length > 0 ? 'accepted' : 'refused',
  });
  return stream !== undefined;
}

const WAIT_SECONDS = 4;
/** A wait that ends before this without a change has ended too early. */
const LEAST_WAIT_MS = (WAIT_SECONDS - 1) * 1_000;
const ends = ['COMPLETED', 'FAILED', 'CANCELED'];
const sourceSchema = z.object({ data: seenSchema });

/** Waits for the next change of a source. Returns whether it was answered. */
export async function waitForChange(actor: Actor, sourceId: string): Promise<boolean> {
  const { history } = actor;
  const before = sourceSchema.safeParse((await askAny(actor, 'GET', `/v1/sources/${sourceId}`))?.body).data?.data;
  if (before === undefined) return false;
  const sentAt = Date.now();
  const path = `/v1/sources/${sourceId}?waitSeconds=${WAIT_SECONDS}&since=${before.revision}`;
  const answer = await askAny(actor, 'GET', path);
  const after = sourceSchema.safeParse(answer?.body).data?.data;
  const answeredAt = Date.now();
  if (after !== undefined) {
    sequencesOf(history).push({
      id: sourceId,
      states: [
        { ...before, at: sentAt },
        { ...after, at: answeredAt },
      ],
    });
  }
  const isEarly =
    after?.revision === before.revision && !ends.includes(after.status) && answeredAt - sentAt < LEAST_WAIT_MS;
  history.recordOther({
    ...{ action: 'wait for a source', subject: sourceId, answerId: null, sentAt, verdict: verdictOf(answer) },
    ...{ answeredAt: answer === null ? null : answeredAt, status: answer?.status ?? null },
    detail: isEarly ? `ended after ${answeredAt - sentAt} ms without a change` : '',
  });
  return answer !== null;
}
