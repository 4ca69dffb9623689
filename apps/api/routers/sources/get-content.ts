import { z } from 'zod';
import { readShownMarkdown } from '../../../../db/queries/sources/read-sources.ts';
import { MEMORY_FACTOR, STREAM_BYTES, takeReadMemory } from '../../admission/read-memory.ts';
import { AppError, notFound } from '../../errors.ts';
import { isUuid } from '../../input.ts';
import { procedure } from '../../trpc.ts';

/** 409 before the first result. */
export function noContextYet(): AppError {
  const message = 'The source has no context yet: wait until it is COMPLETED.';
  return new AppError('CONFLICT', message, { details: [{ field: 'status', message }] });
}

/** Limit over tRPC, which needs the whole response in memory; REST streams. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024;

function tooLargeForTrpc(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'The content exceeds 8 MiB: use GET /v1/sources/{sourceId}/content.');
}

/** The source's content as Markdown, from which its context was extracted. */
export const getContent = procedure
  .meta({
    rest: {
      method: 'GET',
      path: '/sources/{sourceId}/content',
      alternative: { mediaType: 'text/markdown', field: 'markdown' },
    },
    summary: 'Get the content of a source as Markdown',
    description:
      'As JSON with its generation, or as plain Markdown with `Accept: text/markdown`. Over tRPC up to 8 MiB.',
    conflict: 'The source has no context yet.',
  })
  .input(z.strictObject({ sourceId: z.string() }))
  .output(z.object({ generation: z.int(), markdown: z.string() }))
  .query(async ({ ctx, input, signal }) => {
    if (!isUuid(input.sourceId)) throw notFound('source');
    const shown = await readShownMarkdown(ctx.database.pool, ctx.caller.userId, input.sourceId);
    if (shown === null) throw notFound('source');
    const { contextGeneration: generation, markdownKey, markdownSize } = shown;
    if (generation === null || markdownKey === null) throw noContextYet();
    const bytes = markdownSize ?? 0;
    if (!ctx.streams && bytes > MAX_WHOLE_BYTES) throw tooLargeForTrpc();
    await takeReadMemory(ctx, ctx.streams ? STREAM_BYTES : MEMORY_FACTOR * bytes);
    if (ctx.streams) {
      ctx.reply.text = { field: 'markdown', open: () => ctx.storage.open(markdownKey, { signal }) };
      return { generation, markdown: '' };
    }
    const { body } = await ctx.storage.get(markdownKey, { signal });
    return { generation, markdown: new TextDecoder().decode(body) };
  });
