import { z } from 'zod';
import { type GenerationResource, generationSchema } from '../../../../contract/resources.ts';
import {
  type GenerationRow,
  listGenerations as readPage,
} from '../../../../db/queries/generations/list-generations.ts';
import { decodeCursor, generationPosition, MAX_GENERATION, page } from '../../cursor.ts';
import { cursorField, limitField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { findListedSource } from './find-source.ts';

function toGenerationResource(row: GenerationRow): GenerationResource {
  const { runContextExtraction, runArtifactExtraction, contentSize, stageTimes, ...rest } = row;
  return {
    ...rest,
    options: { run_context_extraction: runContextExtraction, run_artifact_extraction: runArtifactExtraction },
    stageTimes: Object.fromEntries(
      Object.entries(stageTimes).map(([stage, time]) => [stage, new Date(time).toISOString()]),
    ),
    sizeBytes: contentSize,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

export const listGenerations = procedure
  .meta({
    rest: { method: 'GET', path: '/sources/{sourceId}/generations', envelope: 'bare' },
    summary: 'List the generations of a source',
    description: 'Newest first; the last 100 are stored.',
  })
  .input(z.strictObject({ sourceId: z.string(), limit: limitField, cursor: cursorField }))
  .output(z.object({ data: z.array(generationSchema), nextCursor: z.string().nullable() }))
  .query(async ({ ctx, input: { sourceId, limit, cursor } }) => {
    const { id } = await findListedSource(ctx, sourceId);
    const list = ['generations', id];
    const before = decodeCursor(list, generationPosition, cursor) ?? MAX_GENERATION;
    const rows = await readPage(ctx.database.pool, id, { before, limit: limit + 1 });
    const { items, nextCursor } = page(rows, limit, list, ({ generation }) => generation);
    return { data: items.map(toGenerationResource), nextCursor };
  });
