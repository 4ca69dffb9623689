import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { collectionSchema } from '../../../../contract/resources.ts';
import { createCollection as insertCollection } from '../../../../db/transitions/spaces/write-collection.ts';
import { notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { idField, isUuid, nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { invalidCollection, toCollectionResource } from './collection-resource.ts';

export const createCollection = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/collections', status: 201 },
    summary: 'Create a collection',
    description: 'At the top level, or below `parentId`, at most 32 levels deep and 10,000 in a space.',
    example: { name: 'Papers', parentId: null },
  })
  .input(z.strictObject({ spaceId: z.string(), name: nameField, parentId: idField.nullable().default(null) }))
  .output(collectionSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => {
      if (!isUuid(input.spaceId)) throw notFound('space');
      return write(async (session) => {
        const created = await insertCollection(session, { id: uuidv7(), ownerId: ctx.caller.userId, ...input });
        if (created === null) throw notFound('space');
        if ('problem' in created) throw invalidCollection(created.problem);
        return toCollectionResource(created);
      });
    }),
  );
