import { z } from 'zod';
import { collectionSchema } from '../../../../contract/resources.ts';
import { readCollection } from '../../../../db/queries/spaces/read-collection.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toCollectionResource } from './collection-resource.ts';

export const getCollection = procedure
  .meta({ rest: { method: 'GET', path: '/collections/{collectionId}' }, summary: 'Get a collection' })
  .input(z.strictObject({ collectionId: z.string() }))
  .output(collectionSchema)
  .query(async ({ ctx, input: { collectionId } }) => {
    if (!isUuid(collectionId)) throw notFound('collection');
    const collection = await readCollection(ctx.database.pool, ctx.caller.userId, collectionId);
    if (collection === null) throw notFound('collection');
    return toCollectionResource(collection);
  });
