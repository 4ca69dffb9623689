import { z } from 'zod';
import { spaceSchema } from '../../../../contract/resources.ts';
import { Space } from '../../../../db/entities/space.ts';
import { decodeCursor, newestFirst, olderThan, page, timePosition } from '../../cursor.ts';
import { cursorField, limitField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toSpaceResource } from './space-resource.ts';

export const listSpaces = procedure
  .meta({ rest: { method: 'GET', path: '/spaces', envelope: 'bare' }, summary: 'List spaces' })
  .input(z.strictObject({ limit: limitField, cursor: cursorField }))
  .output(z.object({ data: z.array(spaceSchema), nextCursor: z.string().nullable() }))
  .query(async ({ ctx, input }) => {
    const list = ['spaces', ctx.caller.userId];
    const after = decodeCursor(list, timePosition, input.cursor);
    const em = ctx.database.orm.em.fork();
    const spaces = await em.find(
      Space,
      {
        ownerId: ctx.caller.userId,
        deletedAt: null,
        ...olderThan(after),
      },
      { orderBy: newestFirst, limit: input.limit + 1 },
    );
    const { items, nextCursor } = page(spaces, input.limit, list, (space) => [space.createdAt.toISOString(), space.id]);
    return { data: items.map(toSpaceResource), nextCursor };
  });
