import { z } from 'zod';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';
import { actOnSource, remove } from './act-on-source.ts';

export const deleteSource = procedure
  .meta({
    rest: { method: 'DELETE', path: '/sources/{sourceId}', status: 204 },
    summary: 'Delete a source',
    description: 'Hides the source, and cancels its run. It can be restored for 30 days.',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .mutation(async ({ ctx, input }) => {
    await writeWithKey(ctx, (session) => actOnSource(ctx, session, input.sourceId, remove));
  });
