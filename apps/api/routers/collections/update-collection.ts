import { z } from 'zod';
import { collectionSchema } from '../../../../contract/resources.ts';
import { updateCollection as changeCollection } from '../../../../db/transitions/spaces/write-collection.ts';
import { notFound } from '../../errors.ts';
import { idField, isUuid, nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';
import { invalidCollection, toCollectionResource } from './collection-resource.ts';

/** Renames or moves a collection with the collections below it. */
export const updateCollection = procedure
  .meta({
    rest: { method: 'PATCH', path: '/collections/{collectionId}' },
    summary: 'Rename or move a collection',
    description:
      'Changes the fields that are sent. `parentId: null` moves it to the top level; another parent must be in the same space, not below the collection itself, and keep the tree within 32 levels.',
    example: { name: 'Papers', parentId: null },
  })
  .input(
    z.strictObject({
      collectionId: z.string(),
      name: nameField.optional(),
      parentId: idField.nullable().optional(),
    }),
  )
  .output(collectionSchema)
  .mutation(async ({ ctx, input: { collectionId, ...changes } }) => {
    if (!isUuid(collectionId)) throw notFound('collection');
    const updated = await writeWithKey(ctx, (session) =>
      changeCollection(session, ctx.caller.userId, collectionId.toLowerCase(), changes),
    );
    if (updated === null) throw notFound('collection');
    if ('problem' in updated) throw invalidCollection(updated.problem);
    return toCollectionResource(updated);
  });
