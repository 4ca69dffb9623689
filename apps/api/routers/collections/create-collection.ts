import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { collectionSchema } from '../../../../contract/resources.ts';
import { Collection } from '../../../../db/entities/collection.ts';
import { collectionDepth } from '../../../../db/queries/collection-depth.ts';
import { invalid, notFound } from '../../errors.ts';
import { idField, nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { findSpace } from '../spaces/space-resource.ts';

const MOST_LEVELS = 32;

export const createCollection = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/collections', status: 201 },
    summary: 'Create a collection',
  })
  .input(z.strictObject({ spaceId: z.string(), name: nameField, parentId: idField.nullable().default(null) }))
  .output(collectionSchema)
  .mutation(async ({ ctx, input }) => {
    const { id: spaceId } = await findSpace(ctx, input.spaceId);
    return ctx.database.orm.em.fork().transactional(async (em) => {
      // Collections of a space are moved one at a time, so that depth and cycles are judged on what stays true.
      const locked = await em.execute('select id from spaces where id = ? and deleted_at is null for no key update', [
        spaceId,
      ]);
      if (locked.length === 0) throw notFound('space');
      if (input.parentId !== null) {
        const depth = await collectionDepth(em, spaceId, input.parentId);
        if (depth === null) throw invalid('parentId', 'There is no such collection in this space.');
        if (depth >= MOST_LEVELS) throw invalid('parentId', `Collections nest at most ${MOST_LEVELS} levels deep.`);
      }
      const now = new Date();
      const collection = em.create(Collection, {
        id: uuidv7(),
        spaceId,
        name: input.name,
        parentId: input.parentId,
        createdAt: now,
        updatedAt: now,
      });
      await em.flush();
      return {
        id: collection.id,
        name: input.name,
        parentId: input.parentId,
        sourceCount: 0,
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
      };
    });
  });
