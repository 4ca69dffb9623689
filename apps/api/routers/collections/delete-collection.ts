import { z } from 'zod';
import { deleteCollection as removeCollection } from '../../../../db/transitions/spaces/write-collection.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';

/** Removes a collection and those below it permanently; their sources stay in the space. */
export const deleteCollection = procedure
  .meta({
    rest: { method: 'DELETE', path: '/collections/{collectionId}', status: 204 },
    summary: 'Delete a collection',
    description: 'Also deletes the collections below it. Their sources stay in the space, with `collectionId: null`.',
  })
  .input(z.strictObject({ collectionId: z.string() }))
  .mutation(async ({ ctx, input: { collectionId } }) => {
    const deleted =
      isUuid(collectionId) &&
      (await writeWithKey(ctx, (session) => removeCollection(session, ctx.caller.userId, collectionId)));
    if (!deleted) throw notFound('collection');
  });
