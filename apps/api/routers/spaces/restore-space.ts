import { z } from 'zod';
import { spaceSchema } from '../../../../contract/resources.ts';
import { restoreSpace as restore } from '../../../../db/transitions/spaces/write-space.ts';
import { QuotaJudge } from '../../admission/quota.ts';
import { notFound } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toSpaceResource } from './space-resource.ts';

/** Shows a deleted space again; a live one is answered unchanged. */
export const restoreSpace = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/restore' },
    summary: 'Restore a space',
    description:
      'Shows a deleted space again with everything that was in it. What its deletion canceled stays CANCELED, and a source that was deleted by itself stays deleted. A live space is answered unchanged; after the retention it is 404.',
  })
  .input(z.strictObject({ spaceId: z.string() }))
  .output(spaceSchema)
  .mutation(
    idempotent(async ({ ctx, input: { spaceId }, write }) => {
      if (!isUuid(spaceId)) throw notFound('space');
      return write(async (session) => {
        const space = await restore(session, ctx.caller.userId, spaceId);
        if (space === null) throw notFound('space');
        const quota = new QuotaJudge(ctx, session);
        await quota.requireSources();
        await quota.requireBytes();
        return toSpaceResource(space);
      });
    }),
  );
