import type { GenerationRef } from '../contract/commands.ts';
import { contextSummarySchema } from '../contract/extraction.ts';
import { keepContext, storeContext } from '../db/transitions/record-progress.ts';
import type { Dependencies } from './dependencies.ts';
import { objectKey } from './fetch-content.ts';
import { currentOwner } from './owner-turns.ts';
import { readContent } from './read-content.ts';
import { runStage } from './step.ts';

/** Content to Markdown and context: both become objects, and the context without its chunks is kept in the row. */
export async function extractContext(deps: Dependencies, ref: GenerationRef): Promise<void> {
  const { database, extraction, storage } = deps;
  const owner = currentOwner();
  await runStage(deps, 'context', ref, async (input, signal) => {
    if (input.markdownKey !== null) return;
    if (input.contextHolds) {
      await keepContext(database.pool, ref);
      return;
    }
    const content = await readContent(deps, input, signal);
    const { markdown, context } = await (input.type === 'COMPOSITION'
      ? readComposition(new TextDecoder().decode(content.bytes), signal)
      : extraction.run('read', content, { owner, signal }));
    const markdownKey = objectKey(ref, input.generationId, 'content.md');
    const contextKey = objectKey(ref, input.generationId, 'context.json');
    await Promise.all([
      storage.put(markdownKey, markdown, 'text/markdown; charset=utf-8', { signal }),
      storage.put(contextKey, JSON.stringify(context), 'application/json', { signal }),
    ]);
    await storeContext(database.pool, ref, { markdownKey, contextKey, summary: contextSummarySchema.parse(context) });
  });

  async function readComposition(markdown: string, signal: AbortSignal) {
    return { markdown, context: await extraction.run('joinedContext', markdown, { owner, signal }) };
  }
}
