import { z } from 'zod';
import { sourceWithContextSchema } from '../../../../contract/resources.ts';
import { waitForChange } from '../../live/long-poll.ts';
import { toSourceResource } from '../../source-resource.ts';
import { procedure } from '../../trpc.ts';
import { findSource, findSourceState } from './find-source.ts';

const waitLimits = { error: 'Must be a number from 0 to 30.' };
const revisions = { error: 'Must be the revision of a source.' };

export const getSource = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}' },
    summary: 'Get a source, or wait for its next change',
    description:
      'With `waitSeconds` it answers at once when the source is finished (COMPLETED, FAILED, CANCELED) or its `revision` is another than `since`; else at the next change or at the end of the wait. A wait costs one request.',
  })
  .input(
    z.strictObject({
      sourceId: z.string(),
      includeDeleted: z.boolean().default(false).describe('Whether a deleted source is read, too.'),
      waitSeconds: z
        .int(waitLimits)
        .min(0, waitLimits)
        .max(30, waitLimits)
        .default(0)
        .describe('How long to wait for a change.'),
      since: z
        .int(revisions)
        .min(0, revisions)
        .optional()
        .describe('The revision that you know; without it the next change is awaited.'),
    }),
  )
  .output(sourceWithContextSchema)
  .query(async ({ ctx, input: { sourceId, includeDeleted, waitSeconds, since }, signal }) => {
    await waitForChange(ctx, { waitSeconds, since, signal }, () => findSourceState(ctx, sourceId, { includeDeleted }));
    const row = await findSource(ctx, sourceId, { includeDeleted });
    return { ...toSourceResource(row), context: row.context };
  });
