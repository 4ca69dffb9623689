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
      'With `waitSeconds` it responds immediately when the source is finished (COMPLETED, FAILED, CANCELED) or its `revision` differs from `since`; otherwise at the next change, or after `waitSeconds`. A wait costs one request.',
  })
  .input(
    z.strictObject({
      sourceId: z.string(),
      includeDeleted: z.boolean().default(false).describe('Whether to return a deleted source, too.'),
      waitSeconds: z
        .int(waitLimits)
        .min(0, waitLimits)
        .max(30, waitLimits)
        .default(0)
        .describe('Maximum wait for a change, in seconds.'),
      since: z
        .int(revisions)
        .min(0, revisions)
        .optional()
        .describe('The last revision that you have seen; default: the current one.'),
    }),
  )
  .output(sourceWithContextSchema)
  .query(async ({ ctx, input: { sourceId, includeDeleted, waitSeconds, since }, signal }) => {
    await waitForChange(ctx, { waitSeconds, since, signal }, () => findSourceState(ctx, sourceId, { includeDeleted }));
    const row = await findSource(ctx, sourceId, { includeDeleted });
    return { ...toSourceResource(row), context: row.context };
  });
