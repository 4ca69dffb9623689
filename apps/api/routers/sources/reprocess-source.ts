import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { actOnSource, reprocess, toRunOptions } from './act-on-source.ts';
import { runOptions } from './source-input.ts';

export const reprocessSource = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/reprocess', status: 202 },
    summary: 'Reprocess a source',
    description: 'Processes the stored content again; fetches it if none is stored.',
    example: { run_artifact_extraction: false },
  })
  .input(z.strictObject({ sourceId: z.string(), ...runOptions }))
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) =>
      write((session) => actOnSource(ctx, session, input.sourceId, reprocess(toRunOptions(input)))),
    ),
  );
