import { z } from 'zod';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { actOnSource, refresh, toRunOptions } from './act-on-source.ts';
import { runOptions } from './source-input.ts';

export const refreshSource = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/refresh', status: 202, envelope: 'bare' },
    summary: 'Fetch the content of a source again',
    description: 'Fetches the content and processes it. URI and FILE sources only.',
    example: { run_context_extraction: true, run_artifact_extraction: true },
  })
  .input(z.strictObject({ sourceId: z.string(), ...runOptions }))
  .output(z.strictObject({}))
  .mutation(
    idempotent(async ({ ctx, input, write }) =>
      write(async (session) => {
        await actOnSource(ctx, session, input.sourceId, refresh(toRunOptions(input)));
        return {};
      }),
    ),
  );
