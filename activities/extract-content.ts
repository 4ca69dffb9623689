import type { GenerationRef } from '../contract/commands.ts';
import { writeContextFile } from '../contract/context-file.ts';
import { contextSummarySchema } from '../contract/extraction.ts';
import {
  type GenerationInput,
  keepArtifacts,
  keepContext,
  storeArtifacts,
  storeContext,
} from '../db/transitions/generations/record-progress.ts';
import { objectKey } from './fetch-content.ts';
import { readContent, readObject } from './read-content.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { currentOwner } from './runtime/owner-concurrency.ts';
import { generationFence, inStage, MAX_TRIES } from './runtime/stage.ts';
import { withTries } from './runtime/tries.ts';

/** Which stages of extraction the generation runs. */
export interface ExtractionPlan {
  context: boolean;
  artifacts: boolean;
}

/** What the context's stage made on its way. */
interface Made {
  markdown: string;
  /** Short content's are found and stored together with its context. */
  artifactsStored: boolean;
}

/**
 * Content to Markdown and context, then the artifacts in it. One activity for both, since a run pays Temporal for each;
 * every stage stores what it made, so that an attempt goes on where the one before ended.
 */
export async function extractContent(deps: Dependencies, ref: GenerationRef, plan: ExtractionPlan): Promise<void> {
  await withTries(deps, generationFence(ref), { maxTries: MAX_TRIES }, async (signal) => {
    const made = plan.context
      ? await inStage(deps, 'context', ref, signal, (input) => extractContext(deps, ref, input, plan, signal))
      : null;
    if (!plan.artifacts || made?.artifactsStored) return;
    const markdown = made?.markdown ?? null;
    await inStage(deps, 'artifacts', ref, signal, (input) => extractArtifacts(deps, ref, input, markdown, signal));
  });
}

/** Returns null where the context was kept or stored before. */
async function extractContext(
  deps: Dependencies,
  ref: GenerationRef,
  input: GenerationInput,
  plan: ExtractionPlan,
  signal: AbortSignal,
): Promise<Made | null> {
  const { database, extraction, storage } = deps;
  if (input.markdownKey !== null) return null;
  if (input.contextHolds) {
    await keepContext(database.pool, ref);
    return null;
  }
  const owner = currentOwner();
  const content = await readContent(deps, input, signal);
  const joined = input.type === 'COMPOSITION' ? new TextDecoder().decode(content.bytes) : null;
  const { markdown, context, artifacts } =
    joined === null
      ? await extraction.run('read', content, { owner, signal })
      : {
          markdown: joined,
          context: await extraction.run('joinedContext', joined, { owner, signal }),
          artifacts: null,
        };
  const markdownKey = objectKey(ref, input.generationId, 'content.md');
  const contextKey = objectKey(ref, input.generationId, 'context.jsonl');
  const markdownBytes = new TextEncoder().encode(markdown);
  const contextBytes = writeContextFile(context);
  await Promise.all([
    storage.put(markdownKey, markdownBytes, 'text/markdown; charset=utf-8', { signal }),
    storage.put(contextKey, contextBytes, 'application/jsonl', { signal }),
  ]);
  const summary = contextSummarySchema.parse(context);
  const found = plan.artifacts && !input.artifactsHold ? artifacts : null;
  const sizes = { markdownSize: markdownBytes.byteLength, contextSize: contextBytes.byteLength };
  const stored = await storeContext(
    database.pool,
    ref,
    input.contentKey,
    { markdownKey, contextKey, summary, ...sizes },
    found,
  );
  return { markdown, artifactsStored: stored && found !== null };
}

/** @param made the Markdown of this generation, where this attempt made it. */
async function extractArtifacts(
  deps: Dependencies,
  ref: GenerationRef,
  input: GenerationInput,
  made: string | null,
  signal: AbortSignal,
): Promise<void> {
  const { database, extraction } = deps;
  if (input.artifactsHold) {
    await keepArtifacts(database.pool, ref);
    return;
  }
  const options = { owner: currentOwner(), signal };
  const markdown = made ?? (await storedMarkdown(deps, input, signal));
  const artifacts =
    markdown === null
      ? await extraction.run('readArtifacts', await readContent(deps, input, signal), options)
      : await extraction.run('artifacts', { markdown }, options);
  await storeArtifacts(database.pool, ref, input.contentKey, artifacts);
}

/** This generation's Markdown, where its context was extracted or its content was joined; null: it has to be read. */
async function storedMarkdown(deps: Dependencies, input: GenerationInput, signal: AbortSignal): Promise<string | null> {
  if (input.markdownKey !== null) {
    return new TextDecoder().decode(await readObject(deps.storage, input.markdownKey, signal));
  }
  if (input.type !== 'COMPOSITION') return null;
  return new TextDecoder().decode((await readContent(deps, input, signal)).bytes);
}
