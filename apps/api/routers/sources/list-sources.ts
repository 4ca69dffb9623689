import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { sourceStatuses, sourceTypes } from '../../../../contract/statuses.ts';
import { ownsCollection } from '../../../../db/queries/owns-collection.ts';
import { listSources, type SourceRow } from '../../../../db/queries/read-sources.ts';
import { cursorTime, decodeCursor, page } from '../../cursor.ts';
import { notFound } from '../../errors.ts';
import { cursorField, isUuid, limitField } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { findSpace } from '../spaces/space-resource.ts';

const paging = {
  limit: limitField,
  cursor: cursorField,
  status: z.enum(sourceStatuses).optional(),
  type: z.enum(sourceTypes).optional(),
};
const pageSchema = z.object({ data: z.array(sourceSchema), nextCursor: z.string().nullable() });
const positionSchema = z.tuple([z.boolean(), cursorTime, z.uuid()]);

interface Paging {
  limit: number;
  cursor?: string | undefined;
  status?: (typeof sourceStatuses)[number] | undefined;
  type?: (typeof sourceTypes)[number] | undefined;
}

async function listPage(ctx: CallContext, of: { spaceId: string } | { collectionId: string }, paging: Paging) {
  const { limit, cursor, status = null, type = null } = paging;
  const list = ['sources', of, status, type];
  const after = decodeCursor(list, positionSchema, cursor);
  const rows = await listSources(
    ctx.database.pool,
    { ...of, ownerId: ctx.caller.userId },
    { limit: limit + 1, status, type, after: after && { pinned: after[0], createdAt: after[1], id: after[2] } },
  );
  const { items, nextCursor } = page(rows, limit, list, (row: SourceRow) => [
    row.pinned,
    row.createdAt.toISOString(),
    row.id,
  ]);
  return { data: items.map(toSourceResource), nextCursor };
}

export const listSourcesOfSpace = procedure
  .meta({
    rest: { method: 'GET', path: '/spaces/{spaceId}/sources', envelope: 'bare' },
    summary: 'List the sources of a space',
  })
  .input(z.strictObject({ spaceId: z.string(), ...paging }))
  .output(pageSchema)
  .query(async ({ ctx, input: { spaceId, ...rest } }) => {
    const space = await findSpace(ctx, spaceId);
    return listPage(ctx, { spaceId: space.id }, rest);
  });

export const listSourcesOfCollection = procedure
  .meta({
    rest: { method: 'GET', path: '/collections/{collectionId}/sources', envelope: 'bare' },
    summary: 'List the sources of a collection',
  })
  .input(z.strictObject({ collectionId: z.string(), ...paging }))
  .output(pageSchema)
  .query(async ({ ctx, input: { collectionId, ...rest } }) => {
    const owned = isUuid(collectionId) && (await ownsCollection(ctx.database.pool, ctx.caller.userId, collectionId));
    if (!owned) throw notFound('collection');
    return listPage(ctx, { collectionId: collectionId.toLowerCase() }, rest);
  });
