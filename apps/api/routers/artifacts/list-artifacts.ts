import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { artifactKinds } from '../../../../contract/extraction.ts';
import { artifactSchema } from '../../../../contract/resources.ts';
import { Artifact } from '../../../../db/entities/artifact.ts';
import { decodeCursor, newestFirst, olderThan, page, timePosition } from '../../cursor.ts';
import { cursorField, limitField } from '../../input.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { findListedSource } from '../sources/find-source.ts';
import { findSpace } from '../spaces/space-resource.ts';

const paging = { limit: limitField, cursor: cursorField, kind: z.enum(artifactKinds).optional() };
const pageSchema = z.object({ data: z.array(artifactSchema), nextCursor: z.string().nullable() });

function toArtifactResource(artifact: InferEntity<typeof Artifact>): z.infer<typeof artifactSchema> {
  return {
    id: artifact.id,
    sourceId: artifact.sourceId,
    spaceId: artifact.spaceId,
    kind: artifact.kind,
    title: artifact.title,
    content: artifact.content,
    language: artifact.language ?? null,
    position: artifact.position,
    metadata: artifact.metadata,
    status: artifact.status,
    promotedSourceId: artifact.promotedSourceId ?? null,
    createdAt: artifact.createdAt.toISOString(),
    updatedAt: artifact.updatedAt.toISOString(),
  };
}

async function listPage(
  ctx: CallContext,
  of: { spaceId: string } | { sourceId: string },
  {
    limit,
    cursor,
    kind,
  }: { limit: number; cursor?: string | undefined; kind?: (typeof artifactKinds)[number] | undefined },
) {
  const list = ['artifacts', of, kind ?? null];
  const after = decodeCursor(list, timePosition, cursor);
  const artifacts = await ctx.database.orm.em.fork().find(
    Artifact,
    {
      ...of,
      ...(kind === undefined ? {} : { kind }),
      ...olderThan(after),
    },
    { orderBy: newestFirst, limit: limit + 1 },
  );
  const { items, nextCursor } = page(artifacts, limit, list, (artifact) => [
    artifact.createdAt.toISOString(),
    artifact.id,
  ]);
  return { data: items.map(toArtifactResource), nextCursor };
}

export const listArtifacts = procedure
  .meta({
    rest: { method: 'GET', path: '/spaces/{spaceId}/artifacts', envelope: 'bare' },
    summary: 'List the artifacts of a space',
  })
  .input(z.strictObject({ spaceId: z.string(), ...paging }))
  .output(pageSchema)
  .query(async ({ ctx, input: { spaceId, ...rest } }) => {
    const space = await findSpace(ctx, spaceId);
    return listPage(ctx, { spaceId: space.id }, rest);
  });

export const listArtifactsOfSource = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/artifacts', envelope: 'bare' },
    summary: 'List the artifacts of a source',
  })
  .input(z.strictObject({ sourceId: z.string(), ...paging }))
  .output(pageSchema)
  .query(async ({ ctx, input: { sourceId, ...rest } }) => {
    const source = await findListedSource(ctx, sourceId);
    return listPage(ctx, { sourceId: source.id }, rest);
  });
