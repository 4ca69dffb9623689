import { z } from 'zod';
import { sourceSchema } from '../../../../contract/resources.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { actOnSource, pin } from './act-on-source.ts';

export const togglePin = procedure
  .meta({
    rest: { method: 'PATCH', path: '/sources/{sourceId}/toggle-pin' },
    summary: 'Pin or unpin a source',
    description: 'Toggles the pin, or sets it to `pinned`.',
    takesIdempotencyKey: true,
    example: { pinned: true },
  })
  .input(z.strictObject({ sourceId: z.string(), pinned: z.boolean().optional() }))
  .output(sourceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) =>
      write((session) => actOnSource(ctx, session, input.sourceId, pin(input.pinned ?? null))),
    ),
  );
