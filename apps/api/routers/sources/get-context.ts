import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { readContextFile } from '../../../../contract/context-file.ts';
import { contextSchema, contextSummarySchema } from '../../../../contract/extraction.ts';
import { readShownContext } from '../../../../db/queries/sources/read-sources.ts';
import { takeReadMemory } from '../../admission/read-memory.ts';
import { decodeCursor, encodeCursor } from '../../cursor.ts';
import { notFound } from '../../errors.ts';
import { cursorField, isUuid, limitField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { noContextYet } from './get-content.ts';

/** Memory for a page: 100 chunks of the largest size, and 5,000 turns and parts. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** The context with a page of its chunks; a cursor is valid only for the generation whose context is shown. */
export const getContext = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/context', envelope: 'bare' },
    summary: 'Get the context of a source with its chunks',
    conflict: 'The source has no context yet.',
  })
  .input(z.strictObject({ sourceId: z.string(), limit: limitField, cursor: cursorField }))
  .output(z.object({ data: contextSchema.extend({ generation: z.int() }), nextCursor: z.string().nullable() }))
  .query(async ({ ctx, input, signal }) => {
    if (!isUuid(input.sourceId)) throw notFound('source');
    const shown = await readShownContext(ctx.database.pool, ctx.caller.userId, input.sourceId);
    if (shown === null) throw notFound('source');
    const { contextGeneration: generation, contextKey, context } = shown;
    if (generation === null || contextKey === null || context === null) throw noContextYet();
    const list = ['chunks', input.sourceId, generation];
    const from = decodeCursor(list, z.int().min(0), input.cursor) ?? 0;
    await takeReadMemory(ctx, PAGE_BYTES);
    const readRange = async (start: number, end: number) =>
      buffer((await ctx.storage.open(contextKey, { signal, range: { from: start, to: end } })).body);
    const count = context.statistics.chunks;
    const page = await readContextFile(readRange, { count, from, limit: input.limit });
    const next = from + page.chunks.length;
    return {
      data: { ...contextSummarySchema.parse(context), ...page, generation },
      nextCursor: next < count ? encodeCursor(list, next) : null,
    };
  });
