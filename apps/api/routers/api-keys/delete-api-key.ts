import { z } from 'zod';
import { ApiKey } from '../../../../db/entities/api-key.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';

/** Deletes a key; its next request is answered 401. */
export const deleteApiKey = procedure
  .meta({ rest: { method: 'DELETE', path: '/api-keys/{keyId}', status: 204 }, summary: 'Delete an API key' })
  .input(z.strictObject({ keyId: z.string() }))
  .mutation(async ({ ctx, input }) => {
    if (!isUuid(input.keyId)) throw notFound('key');
    const em = ctx.database.orm.em.fork();
    const deleted = await em.nativeDelete(ApiKey, { id: input.keyId, userId: ctx.caller.userId });
    if (deleted === 0) throw notFound('key');
  });
