import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { transaction } from '../../../../db/sql.ts';
import { promoteArtifact as promote } from '../../../../db/transitions/promote-artifact.ts';
import { AppError, notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { toSourceResource } from '../../source-resource.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from '../sources/find-source.ts';

/** Makes a CONTENT source of the artifact; a second promote answers the same source. */
export const promoteArtifact = procedure
  .meta({
    rest: { method: 'PUT', path: '/source-artifact/{artifactId}/promote', status: 201 },
    summary: 'Promote an artifact to a source',
    alsoAnswers: { 200: 'It was promoted before: the same source.' },
    conflict: 'The promoted source is deleted; `Location` leads to it.',
  })
  .input(z.strictObject({ artifactId: z.string() }))
  .output(sourceSchema)
  .mutation(async ({ ctx, input }) => {
    if (!isUuid(input.artifactId)) throw notFound('artifact');
    const promoted = await transaction(ctx.database, (session) =>
      promote(session, ctx.caller.userId, input.artifactId, uuidv7()),
    );
    if (promoted === null) throw notFound('artifact');
    if (promoted.deleted) {
      const message = 'The promoted source is deleted: restore it, or wait until it is purged.';
      throw new AppError('CONFLICT', message, {
        details: [{ field: 'promotedSourceId', message }],
        headers: { location: `/v1/sources/${promoted.sourceId}` },
      });
    }
    if (!promoted.created) ctx.reply.status = 200;
    return toSourceResource(await findListedSource(ctx, promoted.sourceId));
  });
