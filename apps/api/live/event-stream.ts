/** Streams of changes: what one sends (for both protocols), and how REST writes it as server-sent events. */
import { Readable } from 'node:stream';
import { isTrackedEnvelope, tracked } from '@trpc/server';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { type SourceEvent, sourceEventSchema } from '../../../contract/resources.ts';
import type { SourceRow } from '../../../db/queries/sources/read-sources.ts';
import { AppError } from '../errors.ts';
import { toSourceResource } from '../source-resource.ts';
import type { Watch } from './watch.ts';

/** Proxies take a silent connection for a dead one. */
export const HEARTBEAT_MS = 15_000;

/** An event with its id. */
export function event(id: string, data: SourceEvent) {
  return tracked(id, data);
}

/** A source as it is now. */
export function sourceEvent(id: string, row: SourceRow) {
  return event(id, { event: 'source', source: toSourceResource(row) });
}

/** At the end of a stream: one that ended with this process is to be opened again, and tRPC clients then do. */
export function endOf(watch: Watch): void {
  if (watch.closing) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping: connect again.');
}

function textOf(envelope: unknown): string {
  if (!isTrackedEnvelope(envelope)) throw new Error('Every event of a stream has an id.');
  const [id, data] = envelope;
  const { event, ...rest }: z.infer<typeof sourceEventSchema> = sourceEventSchema.parse(data);
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify('source' in rest ? rest.source : {})}\n\n`;
}

/** The events as text/event-stream (WHATWG HTML, 9.2), with a comment whenever nothing happened for a while. */
export async function* toText(events: AsyncIterable<unknown>, heartbeatMs: number): AsyncGenerator<string, void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    // So that the client sees at once that the stream is open.
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
    // The key ended, the space is gone, or this process ends: the stream is over, and the next try learns why.
    if (!(error instanceof AppError)) throw error;
  } finally {
    await iterator.return?.();
  }
}

/** Answers with a stream of events. */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<unknown>): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    .send(Readable.from(toText(events, HEARTBEAT_MS), { objectMode: false }));
}
