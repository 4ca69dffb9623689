import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { actOnSource, cancel } from './act-on-source.ts';

export const cancelSource = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/cancel' },
    summary: 'Cancel a source',
    description: 'The generation writes nothing afterwards. A source that is CANCELED already stays unchanged.',
    conflict: 'The source is COMPLETED or FAILED.',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => write((session) => actOnSource(ctx, session, input.sourceId, cancel))),
  );
