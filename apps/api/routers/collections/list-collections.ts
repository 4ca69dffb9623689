import { z } from 'zod';
import { type CollectionNode, collectionNodeSchema } from '../../../../contract/resources.ts';
import { Collection } from '../../../../db/entities/collection.ts';
import { countSourcesByCollection } from '../../../../db/queries/sources/count-sources.ts';
import { procedure } from '../../trpc.ts';
import { findSpace } from '../spaces/space-resource.ts';

/** Natural order of names. Not sorted by PostgreSQL, whose collation depends on its machine. */
const { compare } = new Intl.Collator('en', { numeric: true });

function byName(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}

/** The whole tree of a space: siblings by name, then by id. */
export const listCollections = procedure
  .meta({
    rest: { method: 'GET', path: '/spaces/{spaceId}/collections' },
    summary: 'List the collections of a space as a tree',
  })
  .input(z.strictObject({ spaceId: z.string() }))
  .output(z.array(collectionNodeSchema))
  .query(async ({ ctx, input }) => {
    const space = await findSpace(ctx, input.spaceId);
    const em = ctx.database.orm.em.fork();
    const [collections, counts] = await Promise.all([
      em.find(Collection, { spaceId: space.id }),
      countSourcesByCollection(ctx.database.pool, space.id),
    ]);
    const nodes = new Map<string, CollectionNode>(
      collections.sort(byName).map(({ id, name, parentId, createdAt, updatedAt }) => [
        id,
        {
          id,
          name,
          parentId: parentId ?? null,
          sourceCount: counts.get(id) ?? 0,
          createdAt: createdAt.toISOString(),
          updatedAt: updatedAt.toISOString(),
          children: [],
        },
      ]),
    );
    const roots: CollectionNode[] = [];
    for (const node of nodes.values()) {
      const siblings = node.parentId === null ? roots : nodes.get(node.parentId)?.children;
      siblings?.push(node);
    }
    return roots;
  });
