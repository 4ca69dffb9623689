import { z } from 'zod';
import { deleteSpace as markDeleted } from '../../../../db/transitions/spaces/write-space.ts';
import { notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';

/** Hides the space and all in it before the answer; what runs in it is canceled by a run of its own. */
export const deleteSpace = procedure
  .meta({
    rest: { method: 'DELETE', path: '/spaces/{spaceId}', status: 204 },
    summary: 'Delete a space',
    description:
      'Hides the space and everything in it at once; what runs is canceled soon after. Restore brings it back until the retention is over, then everything is removed for good.',
  })
  .input(z.strictObject({ spaceId: z.string() }))
  .mutation(async ({ ctx, input: { spaceId } }) => {
    const deleted =
      isUuid(spaceId) && (await writeWithKey(ctx, (session) => markDeleted(session, ctx.caller.userId, spaceId)));
    if (!deleted) throw notFound('space');
  });
