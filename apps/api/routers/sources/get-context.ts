import { z } from 'zod';
import { contextSchema } from '../../../../contract/extraction.ts';
import { decodeCursor, encodeCursor } from '../../cursor.ts';
import { cursorField, limitField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { findContextKeys } from './get-content.ts';

/** The context with a page of its chunks; the cursor holds only as long as the generation is shown. */
export const getContext = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/context', envelope: 'bare' },
    summary: 'Get the context of a source with its chunks',
    conflict: 'The source has no context yet.',
  })
  .input(z.strictObject({ sourceId: z.string(), limit: limitField, cursor: cursorField }))
  .output(z.object({ data: contextSchema.extend({ generation: z.int() }), nextCursor: z.string().nullable() }))
  .query(async ({ ctx, input }) => {
    const { generation, contextKey } = await findContextKeys(ctx, input.sourceId);
    const list = ['chunks', input.sourceId, generation];
    const from = decodeCursor(list, z.int().min(0), input.cursor) ?? 0;
    const { body } = await ctx.storage.get(contextKey);
    const context = contextSchema.parse(JSON.parse(new TextDecoder().decode(body)));
    const chunks = context.chunks.slice(from, from + input.limit);
    const next = from + chunks.length;
    return {
      data: { ...context, chunks, generation },
      nextCursor: next < context.chunks.length ? encodeCursor(list, next) : null,
    };
  });
