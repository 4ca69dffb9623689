import { z } from 'zod';
import { sourceWithContextSchema } from '../../../../contract/resources.ts';
import { toSourceResource } from '../../source-resource.ts';
import { procedure } from '../../trpc.ts';
import { findSource } from './find-source.ts';

export const getSource = procedure
  .meta({ rest: { method: 'GET', path: '/sources/{sourceId}' }, summary: 'Get a source' })
  .input(
    z.strictObject({
      sourceId: z.string(),
      includeDeleted: z.boolean().default(false).describe('Whether a deleted source is read, too.'),
    }),
  )
  .output(sourceWithContextSchema)
  .query(async ({ ctx, input }) => {
    const row = await findSource(ctx, input.sourceId, input);
    return { ...toSourceResource(row), context: row.context };
  });
