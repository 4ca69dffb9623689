import { z } from 'zod';
import { spaceSchema } from '../../../../contract/resources.ts';
import { Space } from '../../../../db/entities/space.ts';
import { containing } from '../../../../db/sql.ts';
import { decodeCursor, newestFirst, olderThan, page, timePosition } from '../../cursor.ts';
import { cursorField, deletedField, limitField, qField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toSpaceResource } from './space-resource.ts';

/** Newest first; `deleted=only` lists the deleted spaces that can be restored instead. */
export const listSpaces = procedure
  .meta({ rest: { method: 'GET', path: '/spaces', envelope: 'bare' }, summary: 'List spaces' })
  .input(z.strictObject({ limit: limitField, cursor: cursorField, q: qField, deleted: deletedField }))
  .output(z.object({ data: z.array(spaceSchema), nextCursor: z.string().nullable() }))
  .query(async ({ ctx, input }) => {
    const { q, deleted } = input;
    const list = ['spaces', ctx.caller.userId, q ?? null, deleted ?? null];
    const after = decodeCursor(list, timePosition, input.cursor);
    const em = ctx.database.orm.em.fork();
    const spaces = await em.find(
      Space,
      {
        ownerId: ctx.caller.userId,
        ...(deleted === 'only' ? { deletedAt: { $ne: null }, purgingAt: null } : { deletedAt: null }),
        ...(q === undefined ? {} : { name: { $ilike: containing(q) } }),
        ...olderThan(after),
      },
      { orderBy: newestFirst, limit: input.limit + 1 },
    );
    const { items, nextCursor } = page(spaces, input.limit, list, (space) => [space.createdAt.toISOString(), space.id]);
    return { data: items.map(toSpaceResource), nextCursor };
  });
