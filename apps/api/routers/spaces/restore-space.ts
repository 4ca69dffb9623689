import { z } from 'zod';
import { spaceSchema } from '../../../../contract/resources.ts';
import { restoreSpace as restore } from '../../../../db/transitions/spaces/write-space.ts';
import { QuotaCheck } from '../../admission/quota.ts';
import { notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toSpaceResource } from './space-resource.ts';

/** Restores a deleted space; a live one is returned unchanged. */
export const restoreSpace = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/restore' },
    summary: 'Restore a space',
    description:
      'Restores a deleted space with everything that was in it. A source that this deletion canceled stays CANCELED, and a source that was deleted separately stays deleted. A live space is returned unchanged; after the retention period it is 404.',
  })
  .input(z.strictObject({ spaceId: z.string() }))
  .output(spaceSchema)
  .mutation(
    idempotent(async ({ ctx, input: { spaceId }, write }) => {
      if (!isUuid(spaceId)) throw notFound('space');
      return write(async (session) => {
        const space = await restore(session, ctx.caller.userId, spaceId);
        if (space === null) throw notFound('space');
        const quota = new QuotaCheck(ctx, session);
        await quota.requireSources();
        await quota.requireBytes();
        return toSpaceResource(space);
      });
    }),
  );
