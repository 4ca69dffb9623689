import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { sourceStatuses, sourceTypes } from '../../../../contract/statuses.ts';
import { listSources, type SourceFilters } from '../../../../db/queries/sources/list-sources.ts';
import { spaceOfCollection } from '../../../../db/queries/spaces/space-of-collection.ts';
import { cursorTime, decodeCursor, page } from '../../cursor.ts';
import { notFound } from '../../errors.ts';
import { cursorField, deletedField, isUuid, limitField, qField } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { findSpace } from '../spaces/space-resource.ts';

const paging = { limit: limitField, cursor: cursorField };
const filters = {
  status: z.enum(sourceStatuses).optional(),
  type: z.enum(sourceTypes).optional(),
  pinned: z.boolean().optional().describe('`true`: only pinned sources; `false`: only the others.'),
  externalId: z.string().optional(),
  q: qField,
  deleted: deletedField,
};
const pageSchema = z.object({ data: z.array(sourceSchema), nextCursor: z.string().nullable() });
const positionSchema = z.tuple([z.boolean(), cursorTime, z.uuid()]);

async function listPage(
  ctx: CallContext,
  filters: SourceFilters,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const { spaceId, collectionId, status, type, pinned, externalId, q, deleted } = filters;
  const list = ['sources', spaceId, collectionId, status, type, pinned, externalId, q, deleted];
  const after = decodeCursor(list, positionSchema, cursor);
  const rows = await listSources(ctx.database.pool, filters, {
    limit: limit + 1,
    after: after && { pinned: after[0], createdAt: after[1], id: after[2] },
  });
  const { items, nextCursor } = page(rows, limit, list, (row) => [row.pinned, row.createdAt.toISOString(), row.id]);
  return { data: items.map(toSourceResource), nextCursor };
}

const description = 'Pinned sources first, then newest first.';

export const listSourcesOfSpace = procedure
  .meta({
    rest: { method: 'GET', path: '/spaces/{spaceId}/sources', envelope: 'bare' },
    summary: 'List the sources of a space',
    description,
  })
  .input(z.strictObject({ spaceId: z.string(), ...paging, ...filters, collectionId: z.string().optional() }))
  .output(pageSchema)
  .query(async ({ ctx, input: { spaceId, limit, cursor, ...filters } }) => {
    const space = await findSpace(ctx, spaceId);
    // A malformed id matches no source.
    if (filters.collectionId !== undefined && !isUuid(filters.collectionId)) return { data: [], nextCursor: null };
    return listPage(ctx, { spaceId: space.id, ...filters }, { limit, cursor });
  });

export const listSourcesOfCollection = procedure
  .meta({
    rest: { method: 'GET', path: '/collections/{collectionId}/sources', envelope: 'bare' },
    summary: 'List the sources of a collection',
    description,
  })
  .input(z.strictObject({ collectionId: z.string(), ...paging, ...filters }))
  .output(pageSchema)
  .query(async ({ ctx, input: { collectionId, limit, cursor, ...filters } }) => {
    const spaceId = isUuid(collectionId)
      ? await spaceOfCollection(ctx.database.pool, ctx.caller.userId, collectionId)
      : null;
    if (spaceId === null) throw notFound('collection');
    return listPage(ctx, { spaceId, collectionId: collectionId.toLowerCase(), ...filters }, { limit, cursor });
  });
