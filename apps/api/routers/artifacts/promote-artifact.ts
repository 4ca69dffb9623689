import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { readListedSource, type SourceRow } from '../../../../db/queries/sources/read-sources.ts';
import { promoteArtifact as promote } from '../../../../db/transitions/artifacts/promote-artifact.ts';
import { QuotaCheck } from '../../admission/quota.ts';
import { AppError, notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import { type CallContext, procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';

/** Creates a CONTENT source from the artifact; a repeated promote returns the same source. */
export const promoteArtifact = procedure
  .meta({
    rest: { method: 'PUT', path: '/source-artifact/{artifactId}/promote', status: 201 },
    summary: 'Promote an artifact to a source',
    otherSuccesses: { 200: 'The artifact was promoted before: returns the same source.' },
    conflict: 'The promoted source is deleted; `Location` is its path.',
  })
  .input(z.strictObject({ artifactId: z.string() }))
  .output(sourceSchema)
  .mutation(async ({ ctx, input }) => {
    if (!isUuid(input.artifactId)) throw notFound('artifact');
    const { row, created } = await promoted(ctx, input.artifactId).catch((error: unknown) => {
      // The collection was deleted meanwhile; on a second attempt the source has none.
      if (collectionGone.safeParse(error).success) return promoted(ctx, input.artifactId);
      throw error;
    });
    if (!created) ctx.reply.status = 200;
    return toSourceResource(row);
  });

const collectionGone = z.object({ code: z.literal('23503'), constraint: z.literal('sources_collection_foreign') });

async function promoted(ctx: CallContext, artifactId: string): Promise<{ row: SourceRow; created: boolean }> {
  return writeWithKey(ctx, async (session) => {
    const { userId } = ctx.caller;
    const made = await promote(session, userId, artifactId, uuidv7());
    if (made === null) throw notFound('artifact');
    if (made.created) {
      const quota = new QuotaCheck(ctx, session);
      await quota.requireSource();
      await quota.requireBytes();
    }
    const row = await readListedSource(session, userId, made.sourceId);
    if (row !== null) return { row, created: made.created };
    const message = 'The promoted source is deleted: restore it, or wait until it is purged.';
    throw new AppError('CONFLICT', message, {
      details: [{ field: 'promotedSourceId', message }],
      headers: { location: `/v1/sources/${made.sourceId}` },
    });
  });
}
