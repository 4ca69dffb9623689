import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { startGeneration } from '../../../../db/transitions/start-generation.ts';
import { notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { toSourceResource } from '../../source-resource.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from './find-source.ts';
import { runOptions } from './source-input.ts';

/** Works on the stored content again. */
export const reprocessSource = procedure
  .meta({ rest: { method: 'POST', path: '/sources/{sourceId}/reprocess', status: 202 }, summary: 'Reprocess a source' })
  .input(z.strictObject({ sourceId: z.string(), ...runOptions }))
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => {
      const { id } = await findListedSource(ctx, input.sourceId);
      return write(async (session) => {
        const generation = await startGeneration(session, {
          sourceId: id,
          trigger: 'reprocess',
          command: 'reprocess',
          options: {
            runContextExtraction: input.run_context_extraction,
            runArtifactExtraction: input.run_artifact_extraction,
          },
        });
        if (generation === null) throw notFound('source');
        return toSourceResource(await findListedSource(ctx, id, session));
      });
    }),
  );
