import { z } from 'zod';
import { readListedSource, type SourceRow } from '../../../../db/queries/read-sources.ts';
import { notFound } from '../../errors.ts';
import { endOf, sourceEvent } from '../../event-stream.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import type { Watch } from '../../watch.ts';
import { findListedSource } from './find-source.ts';

/** The present state of a source, then each change, its deletion and restoration among them. */
export const streamSourceEvents = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/events' },
    summary: 'Stream the changes of a source',
    description:
      'Server-sent events: `event: source`, `id` is the revision, `data` the source as in lists. Begins with the present state; deletion and restore are changes. Changes in quick succession may come as one. Costs one request.',
  })
  // The present state is sent anyway, so it matters to nobody which one a client has seen.
  .input(
    z.strictObject({
      sourceId: z.string(),
      lastEventId: z.string().optional().describe('The id of the last event that was seen.'),
    }),
  )
  .subscription(async ({ ctx, input, signal }) => {
    const source = await findListedSource(ctx, input.sourceId);
    const topics = [`source:${source.id}`, `space:${source.spaceId}`] as const;
    return changesOf(ctx, source.id, ctx.watches.open(ctx.caller, [...topics], signal));
  });

async function* changesOf(ctx: CallContext, sourceId: string, watch: Watch) {
  try {
    let revision: number | null = null;
    do {
      const row: SourceRow | null = await readListedSource(ctx.database.pool, ctx.caller.userId, sourceId, {
        includeDeleted: true,
      });
      // Purged, or its space was deleted.
      if (row === null) throw notFound('source');
      if (row.revision !== revision) yield sourceEvent(String(row.revision), row);
      revision = row.revision;
    } while ((await watch.next()) !== null);
    endOf(watch);
  } finally {
    watch.end('done');
  }
}
