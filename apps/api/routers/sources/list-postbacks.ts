import { z } from 'zod';
import { postbackDeliverySchema } from '../../../../contract/resources.ts';
import { listDeliveries } from '../../../../db/queries/list-deliveries.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from './find-source.ts';

/** The source's postbacks, the newest first, each with its attempts. */
export const listPostbacks = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/postbacks', envelope: 'bare' },
    summary: 'List the postbacks of a source',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .output(z.object({ data: z.array(postbackDeliverySchema), nextCursor: z.null() }))
  .query(async ({ ctx, input }) => {
    const { id } = await findListedSource(ctx, input.sourceId);
    const rows = await listDeliveries(ctx.database.pool, id);
    const data = rows.map((row) => ({
      ...row,
      nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
      attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
    }));
    return { data, nextCursor: null };
  });
