import { z } from 'zod';
import { spaceWithCountsSchema } from '../../../../contract/resources.ts';
import { countSourcesByStatus } from '../../../../db/queries/sources/count-sources.ts';
import { procedure } from '../../trpc.ts';
import { findSpace, toSpaceResource } from './space-resource.ts';

export const getSpace = procedure
  .meta({ rest: { method: 'GET', path: '/spaces/{spaceId}' }, summary: 'Get a space' })
  .input(z.strictObject({ spaceId: z.string() }))
  .output(spaceWithCountsSchema)
  .query(async ({ ctx, input }) => {
    const space = await findSpace(ctx, input.spaceId);
    return { ...toSpaceResource(space), sourceCounts: await countSourcesByStatus(ctx.database.pool, space.id) };
  });
