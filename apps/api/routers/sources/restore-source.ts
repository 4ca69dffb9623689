import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { actOnSource, restore } from './act-on-source.ts';

export const restoreSource = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/restore' },
    summary: 'Restore a deleted source',
    description: 'A source that is not deleted stays unchanged. A source that its deletion canceled stays CANCELED.',
    conflict: 'Another live source of the space has this externalId; `Location` is its path.',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => write((session) => actOnSource(ctx, session, input.sourceId, restore))),
  );
