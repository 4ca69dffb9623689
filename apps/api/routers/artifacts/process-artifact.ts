import { z } from 'zod';
import { artifactSchema } from '../../../../contract/resources.ts';
import { processArtifact as accept } from '../../../../db/transitions/artifacts/process-artifact.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';
import { findArtifact, toArtifactResource } from './artifact-resource.ts';

/** Starts a round of processing, unless one is in progress. */
export const processArtifact = procedure
  .meta({
    rest: { method: 'PUT', path: '/source-artifact/{artifactId}/process', status: 202 },
    summary: 'Process an artifact',
    description:
      'Enriches the artifact by its kind: a table gets typed columns with CSV and JSON, code its language and symbols, a link its title and reachability, a task its owner and due date. The result is in `metadata` once `status` is PROCESSED; after FAILED, `metadata.error` has the reason.',
  })
  .input(z.strictObject({ artifactId: z.string() }))
  .output(artifactSchema)
  .mutation(async ({ ctx, input }) => {
    if (!isUuid(input.artifactId)) throw notFound('artifact');
    const accepted = await writeWithKey(ctx, (session) => accept(session, ctx.caller.userId, input.artifactId));
    return toArtifactResource(accepted ?? (await findArtifact(ctx, input.artifactId)));
  });
