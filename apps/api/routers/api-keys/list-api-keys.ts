import { z } from 'zod';
import { apiKeySchema } from '../../../../contract/resources.ts';
import { ApiKey } from '../../../../db/entities/api-key.ts';
import { decodeCursor, newestFirst, olderThan, page, timePosition } from '../../cursor.ts';
import { cursorField, limitField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toApiKeyResource } from './api-key-resource.ts';

export const listApiKeys = procedure
  .meta({ rest: { method: 'GET', path: '/api-keys', envelope: 'bare' }, summary: 'List API keys' })
  .input(z.strictObject({ limit: limitField, cursor: cursorField }))
  .output(z.object({ data: z.array(apiKeySchema), nextCursor: z.string().nullable() }))
  .query(async ({ ctx, input }) => {
    const list = ['api-keys', ctx.caller.userId];
    const after = decodeCursor(list, timePosition, input.cursor);
    const keys = await ctx.database.orm.em.fork().find(
      ApiKey,
      {
        userId: ctx.caller.userId,
        ...olderThan(after),
      },
      { orderBy: newestFirst, limit: input.limit + 1 },
    );
    const { items, nextCursor } = page(keys, input.limit, list, (key) => [key.createdAt.toISOString(), key.id]);
    return { data: items.map(toApiKeyResource), nextCursor };
  });
