/** Event streams: their events (for REST and tRPC), and their format as server-sent events (for REST). */
import { Readable } from 'node:stream';
import { isTrackedEnvelope, tracked } from '@trpc/server';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { type SourceEvent, sourceEventSchema } from '../../../contract/resources.ts';
import type { SourceRow } from '../../../db/queries/sources/read-sources.ts';
import { AppError } from '../errors.ts';
import { toSourceResource } from '../source-resource.ts';
import type { Watch } from './watch.ts';

/** Interval of heartbeats: proxies close idle connections. */
export const HEARTBEAT_MS = 15_000;

/** An event with its id. */
export function event(id: string, data: SourceEvent) {
  return tracked(id, data);
}

/** An event with the current state of a source. */
export function sourceEvent(id: string, row: SourceRow) {
  return event(id, { event: 'source', source: toSourceResource(row) });
}

/** Ends a stream with an error at shutdown, so that tRPC clients reconnect. @throws AppError 503 */
export function throwIfClosing(watch: Watch): void {
  if (watch.closing) throw new AppError('SERVICE_UNAVAILABLE', 'The service is shutting down: connect again.');
}

function textOf(envelope: unknown): string {
  if (!isTrackedEnvelope(envelope)) throw new Error('An event of a stream has no id.');
  const [id, data] = envelope;
  const { event, ...rest }: z.infer<typeof sourceEventSchema> = sourceEventSchema.parse(data);
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify('source' in rest ? rest.source : {})}\n\n`;
}

/** The events as text/event-stream (WHATWG HTML, 9.2), with a comment after each `heartbeatMs` without an event. */
export async function* toText(events: AsyncIterable<unknown>, heartbeatMs: number): AsyncGenerator<string, void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    // Shows the client immediately that the stream is open.
    yield ': open\n\n';
    let next = iterator.next();
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, heartbeatMs, null);
      });
      const result = await Promise.race([next, silence]).finally(() => clearTimeout(timer));
      if (result === null) {
        yield ': heartbeat\n\n';
      } else {
        if (result.done) return;
        yield textOf(result.value);
        next = iterator.next();
      }
    }
  } catch (error) {
    // The key or the space is gone, or the process shuts down: the stream ends, and a reconnect gets the error.
    if (!(error instanceof AppError)) throw error;
  } finally {
    await iterator.return?.();
  }
}

/** Sends the events as a stream. */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<unknown>): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    .send(Readable.from(toText(events, HEARTBEAT_MS), { objectMode: false }));
}
