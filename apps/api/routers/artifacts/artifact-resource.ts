import type { z } from 'zod';
import type { artifactSchema } from '../../../../contract/resources.ts';
import { type ArtifactRow, readArtifact } from '../../../../db/queries/artifacts/read-artifacts.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import type { CallContext } from '../../trpc.ts';

/** An artifact's row as responses show it. */
export function toArtifactResource({
  createdAt,
  updatedAt,
  truncated,
  ...row
}: ArtifactRow): z.infer<typeof artifactSchema> {
  return {
    ...row,
    ...(truncated ? { truncated } : {}),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The caller's artifact. @throws AppError 404, also when newer results no longer contain it */
export async function findArtifact(ctx: CallContext, artifactId: string): Promise<ArtifactRow> {
  if (!isUuid(artifactId)) throw notFound('artifact');
  const row = await readArtifact(ctx.database.pool, ctx.caller.userId, artifactId);
  if (row === null) throw notFound('artifact');
  return row;
}
