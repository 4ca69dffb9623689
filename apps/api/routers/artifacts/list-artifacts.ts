import { z } from 'zod';
import { artifactKinds } from '../../../../contract/extraction.ts';
import { artifactSchema } from '../../../../contract/resources.ts';
import { artifactStatuses } from '../../../../contract/statuses.ts';
import { type ArtifactFilters, listArtifacts as readPage } from '../../../../db/queries/artifacts/list-artifacts.ts';
import { decodeCursor, page, timePosition } from '../../cursor.ts';
import { cursorField, isUuid, limitField, qField } from '../../input.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { findListedSource } from '../sources/find-source.ts';
import { findSpace } from '../spaces/space-resource.ts';
import { toArtifactResource } from './artifact-resource.ts';

const paging = { limit: limitField, cursor: cursorField };
const filters = {
  kind: z.enum(artifactKinds).optional(),
  status: z.enum(artifactStatuses).optional(),
  q: qField.describe('Only items whose title contains this text, in any case.'),
};
const pageSchema = z.object({ data: z.array(artifactSchema), nextCursor: z.string().nullable() });

async function listPage(
  ctx: CallContext,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  filters: ArtifactFilters,
) {
  const { spaceId, sourceId, kind, status, q } = filters;
  const list = ['artifacts', spaceId ?? null, sourceId ?? null, kind ?? null, status ?? null, q ?? null];
  const after = decodeCursor(list, timePosition, cursor);
  if (sourceId !== undefined && !isUuid(sourceId)) return { data: [], nextCursor: null };
  const rows = await readPage(ctx.database.pool, filters, {
    limit: limit + 1,
    after: after && { createdAt: after[0], id: after[1] },
  });
  const { items, nextCursor } = page(rows, limit, list, ({ createdAt, id }) => [createdAt.toISOString(), id]);
  return { data: items.map(toArtifactResource), nextCursor };
}

export const listArtifacts = procedure
  .meta({
    rest: { method: 'GET', path: '/spaces/{spaceId}/artifacts', envelope: 'bare' },
    summary: 'List the artifacts of a space',
  })
  .input(z.strictObject({ spaceId: z.string(), ...paging, ...filters, sourceId: z.string().optional() }))
  .output(pageSchema)
  .query(async ({ ctx, input: { spaceId, limit, cursor, ...filters } }) => {
    const space = await findSpace(ctx, spaceId);
    return listPage(ctx, { limit, cursor }, { ...filters, spaceId: space.id });
  });

export const listArtifactsOfSource = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/artifacts', envelope: 'bare' },
    summary: 'List the artifacts of a source',
  })
  .input(z.strictObject({ sourceId: z.string(), ...paging, ...filters }))
  .output(pageSchema)
  .query(async ({ ctx, input: { sourceId, limit, cursor, ...filters } }) => {
    const source = await findListedSource(ctx, sourceId);
    return listPage(ctx, { limit, cursor }, { ...filters, sourceId: source.id });
  });
