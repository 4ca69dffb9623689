import type { InferEntity } from '@mikro-orm/postgresql';
import type { SpaceResource } from '../../../../contract/resources.ts';
import { Space } from '../../../../db/entities/space.ts';
import type { SpaceRow } from '../../../../db/transitions/spaces/write-space.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import type { CallContext } from '../../trpc.ts';

export function toSpaceResource(space: SpaceRow): SpaceResource {
  return {
    id: space.id,
    name: space.name,
    description: space.description,
    createdAt: space.createdAt.toISOString(),
    updatedAt: space.updatedAt.toISOString(),
  };
}

/** The caller's live space with this id. @throws AppError 404 */
export async function findSpace(ctx: CallContext, spaceId: string): Promise<InferEntity<typeof Space>> {
  if (!isUuid(spaceId)) throw notFound('space');
  const em = ctx.database.orm.em.fork();
  const space = await em.findOne(Space, { id: spaceId, ownerId: ctx.caller.userId, deletedAt: null });
  if (space === null) throw notFound('space');
  return space;
}
