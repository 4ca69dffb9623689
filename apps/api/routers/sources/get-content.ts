import { z } from 'zod';
import { readResultKeys } from '../../../../db/queries/read-sources.ts';
import { AppError, notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { COPIES, STREAM_BYTES, takeReadMemory } from '../../read-memory.ts';
import { type CallContext, procedure } from '../../trpc.ts';

/** The keys of a source's shown context. @throws AppError 404 for no source, 409 before its first result. */
export async function findContextKeys(ctx: CallContext, sourceId: string) {
  if (!isUuid(sourceId)) throw notFound('source');
  const keys = await readResultKeys(ctx.database.pool, ctx.caller.userId, sourceId);
  if (keys === null) throw notFound('source');
  const { contextGeneration, markdownKey, contextKey, context } = keys;
  if (contextGeneration === null || markdownKey === null || contextKey === null || context === null) {
    const message = 'The source has no context yet: wait until it is COMPLETED.';
    throw new AppError('CONFLICT', message, { details: [{ field: 'status', message }] });
  }
  return { generation: contextGeneration, markdownKey, markdownSize: keys.markdownSize ?? 0, contextKey, context };
}

/** REST streams; tRPC holds the whole answer. */
const MOST_WHOLE_BYTES = 8 * 1024 * 1024;

function tooLargeForTrpc(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'More than 8 MiB: read it by GET /v1/sources/{sourceId}/content.');
}

/** The source's content as Markdown: what its context was made from. */
export const getContent = procedure
  .meta({
    rest: {
      method: 'GET',
      path: '/sources/{sourceId}/content',
      alternative: { mediaType: 'text/markdown', field: 'markdown' },
    },
    summary: 'Get the content of a source as Markdown',
    description:
      'In JSON with the generation that made it, or alone with `Accept: text/markdown`. Over tRPC up to 8 MiB.',
    conflict: 'The source has no context yet.',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .output(z.object({ generation: z.int(), markdown: z.string() }))
  .query(async ({ ctx, input, signal }) => {
    const { generation, markdownKey, markdownSize } = await findContextKeys(ctx, input.sourceId);
    if (!ctx.streams && markdownSize > MOST_WHOLE_BYTES) throw tooLargeForTrpc();
    await takeReadMemory(ctx, ctx.streams ? STREAM_BYTES : COPIES * markdownSize);
    if (ctx.streams) {
      ctx.reply.text = { field: 'markdown', open: () => ctx.storage.open(markdownKey, { signal }) };
      return { generation, markdown: '' };
    }
    const { body } = await ctx.storage.get(markdownKey, { signal });
    return { generation, markdown: new TextDecoder().decode(body) };
  });
