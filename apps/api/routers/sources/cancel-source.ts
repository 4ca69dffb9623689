import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { cancelSource as cancel } from '../../../../db/transitions/cancel-source.ts';
import { AppError, notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { toSourceResource } from '../../source-resource.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from './find-source.ts';

/** CANCELED in the database before the answer: nothing of the generation is applied later. */
export const cancelSource = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/cancel' },
    summary: 'Cancel a source',
    conflict: 'The source is COMPLETED or FAILED.',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => {
      const { id } = await findListedSource(ctx, input.sourceId);
      return write(async (session) => {
        const before = await cancel(session, ctx.config.PUBLIC_URL, id);
        if (before === null) throw notFound('source');
        if (before === 'COMPLETED' || before === 'FAILED') {
          const message = `The source is ${before} already: there is nothing to cancel.`;
          throw new AppError('CONFLICT', message, { details: [{ field: 'status', message }] });
        }
        return toSourceResource(await findListedSource(ctx, id, session));
      });
    }),
  );
