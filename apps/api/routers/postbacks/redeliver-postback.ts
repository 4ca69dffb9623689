import { z } from 'zod';
import { postbackDeliverySchema } from '../../../../contract/resources.ts';
import { readDeliveryLog } from '../../../../db/queries/postbacks/list-postbacks.ts';
import { redeliverPostback as redeliver } from '../../../../db/transitions/postbacks/redeliver-postback.ts';
import { AppError, notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from '../sources/find-source.ts';
import { toPostbackResource } from './postback-resource.ts';

export const redeliverPostback = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/postbacks/{postbackId}/redeliver', status: 202 },
    summary: 'Deliver a postback again',
    description: 'Sends the same body with the same webhook-id again, with the full schedule of attempts.',
    conflict: 'The postback is still pending.',
  })
  .input(z.strictObject({ sourceId: z.string(), postbackId: z.string() }))
  .output(postbackDeliverySchema)
  .mutation(
    idempotent(async ({ ctx, input: { sourceId, postbackId }, write }) => {
      const source = await findListedSource(ctx, sourceId);
      if (!isUuid(postbackId)) throw notFound('postback');
      return write(async (session) => {
        const outcome = await redeliver(session, ctx.caller.userId, { sourceId: source.id, postbackId });
        const row = outcome === 'missing' ? null : await readDeliveryLog(session, postbackId);
        if (row === null) throw notFound('postback');
        if (outcome === 'pending') {
          const message = 'The postback is still pending: it is sent again automatically.';
          throw new AppError('CONFLICT', message, { details: [{ field: 'state', message }] });
        }
        return toPostbackResource(row);
      });
    }),
  );
