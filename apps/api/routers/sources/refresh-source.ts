import { z } from 'zod';
import { startGeneration } from '../../../../db/transitions/start-generation.ts';
import { AppError, notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from './find-source.ts';
import { runOptions } from './source-input.ts';

/** Fetches the content again before it is worked on: URI and FILE only. */
export const refreshSource = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/refresh', status: 202, envelope: 'bare' },
    summary: 'Fetch the content of a source again',
  })
  .input(z.strictObject({ sourceId: z.string(), ...runOptions }))
  .output(z.strictObject({}))
  .mutation(
    idempotent(async ({ ctx, input, write }) => {
      const { id, type } = await findListedSource(ctx, input.sourceId);
      if (type !== 'URI' && type !== 'FILE') {
        const message = `Only URI and FILE sources can be refreshed; this one is ${type}. Use reprocess.`;
        throw new AppError('BAD_REQUEST', message, { details: [{ field: 'type', message }] });
      }
      return write(async (session) => {
        const generation = await startGeneration(session, {
          sourceId: id,
          trigger: 'refresh',
          command: 'refresh',
          options: {
            runContextExtraction: input.run_context_extraction,
            runArtifactExtraction: input.run_artifact_extraction,
          },
        });
        if (generation === null) throw notFound('source');
        return {};
      });
    }),
  );
