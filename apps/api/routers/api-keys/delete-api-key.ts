import { z } from 'zod';
import { entityManager } from '../../../../db/sql.ts';
import { deleteKey } from '../../../../db/transitions/users/create-key.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';

/** Deletes a key; its next request is 401. */
export const deleteApiKey = procedure
  .meta({ rest: { method: 'DELETE', path: '/api-keys/{keyId}', status: 204 }, summary: 'Delete an API key' })
  .input(z.strictObject({ keyId: z.string() }))
  .mutation(async ({ ctx, input }) => {
    const deleted =
      isUuid(input.keyId) &&
      (await writeWithKey(ctx, (session) => deleteKey(entityManager(session), ctx.caller.userId, input.keyId)));
    if (!deleted) throw notFound('key');
  });
