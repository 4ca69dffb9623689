import { z } from 'zod';
import { readListedSource } from '../../../../db/queries/sources/read-sources.ts';
import { notFound } from '../../errors.ts';
import { sourceEvent, throwIfClosing } from '../../live/event-stream.ts';
import type { Watch } from '../../live/watch.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { findSourceState } from './find-source.ts';

/** Streams the current state of a source, then each change, including its deletion and restore. */
export const streamSourceEvents = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/events' },
    summary: 'Stream the changes of a source',
    description:
      'Server-sent events: `event: source`, `id` is the revision, `data` the source as in lists. Begins with the current state; deletion and restore are changes. Changes in quick succession may be sent as one. Costs one request.',
  })
  // lastEventId is accepted and not used: the stream always begins with the current state.
  .input(
    z.strictObject({
      sourceId: z.string(),
      lastEventId: z.string().optional().describe('The id of the last event received.'),
    }),
  )
  .subscription(async ({ ctx, input, signal }) => {
    const { id, spaceId } = await findSourceState(ctx, input.sourceId);
    return changesOf(ctx, id, ctx.watches.open(ctx.caller, [`source:${id}`, `space:${spaceId}`], signal));
  });

async function* changesOf(ctx: CallContext, sourceId: string, watch: Watch) {
  const options = { includeDeleted: true };
  try {
    let sent: number | null = null;
    do {
      // 404 once the source is purged or its space deleted.
      const { revision } = await findSourceState(ctx, sourceId, options);
      if (revision === sent) continue;
      const row = await readListedSource(ctx.database.pool, ctx.caller.userId, sourceId, options);
      if (row === null) throw notFound('source');
      yield sourceEvent(String(row.revision), row);
      sent = row.revision;
    } while ((await watch.next()) !== null);
    throwIfClosing(watch);
  } finally {
    watch.end('done');
  }
}
