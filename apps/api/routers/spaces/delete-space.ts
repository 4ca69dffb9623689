import { z } from 'zod';
import { deleteSpace as markDeleted } from '../../../../db/transitions/spaces/write-space.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';

/** Hides the space before the response; the workflow `spaceDeletion` then cancels the runs in it. */
export const deleteSpace = procedure
  .meta({
    rest: { method: 'DELETE', path: '/spaces/{spaceId}', status: 204 },
    summary: 'Delete a space',
    description:
      'Hides the space and everything in it immediately; runs are canceled soon after. It can be restored until the retention period ends; then everything is removed permanently.',
  })
  .input(z.strictObject({ spaceId: z.string() }))
  .mutation(async ({ ctx, input: { spaceId } }) => {
    const deleted =
      isUuid(spaceId) && (await writeWithKey(ctx, (session) => markDeleted(session, ctx.caller.userId, spaceId)));
    if (!deleted) throw notFound('space');
  });
