import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { actOnSource, restore } from './act-on-source.ts';

export const restoreSource = procedure
  .meta({
    rest: { method: 'POST', path: '/sources/{sourceId}/restore' },
    summary: 'Restore a deleted source',
    description: 'A source that is not deleted stays as it is. What a deletion canceled stays CANCELED.',
    conflict: 'Another live source of the space has its externalId meanwhile; `Location` leads to that.',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) => write((session) => actOnSource(ctx, session, input.sourceId, restore))),
  );
