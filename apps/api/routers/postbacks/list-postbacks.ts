import { z } from 'zod';
import { postbackDeliverySchema } from '../../../../contract/resources.ts';
import { listDeliveries } from '../../../../db/queries/postbacks/list-postbacks.ts';
import { decodeCursor, generationPosition, MAX_GENERATION, page } from '../../cursor.ts';
import { cursorField, limitField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from '../sources/find-source.ts';
import { toPostbackResource } from './postback-resource.ts';

export const listPostbacks = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/postbacks', envelope: 'bare' },
    summary: 'List the postbacks of a source',
    description: 'Newest generation first, each with its delivery attempts.',
  })
  .input(z.strictObject({ sourceId: z.string(), limit: limitField, cursor: cursorField }))
  .output(z.object({ data: z.array(postbackDeliverySchema), nextCursor: z.string().nullable() }))
  .query(async ({ ctx, input: { sourceId, limit, cursor } }) => {
    const { id } = await findListedSource(ctx, sourceId);
    const list = ['postbacks', id];
    const before = decodeCursor(list, generationPosition, cursor) ?? MAX_GENERATION;
    const rows = await listDeliveries(ctx.database.pool, id, { before, limit: limit + 1 });
    const { items, nextCursor } = page(rows, limit, list, ({ generation }) => generation);
    return { data: items.map(toPostbackResource), nextCursor };
  });
