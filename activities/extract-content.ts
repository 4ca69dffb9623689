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
import { generationFence, inStage, MAX_TRIES } from './runtime/stage.ts';
import { withTries } from './runtime/tries.ts';

/** Which stages of extraction the generation runs. */
export interface ExtractionPlan {
  context: boolean;
  artifacts: boolean;
}

/** Result of the stage `context`. */
interface ExtractedContext {
  markdown: string;
  /** Whether the artifacts were found and stored together with the context. */
  artifactsStored: boolean;
}

/** Ends of the work: `signal` at any time, `waitSignal` only while it waits for an extraction child. */
interface Aborts {
  signal: AbortSignal;
  waitSignal: AbortSignal | undefined;
}

/**
 * Extracts Markdown and context from the content, then the artifacts. One activity for both stages, since each activity
 * costs Temporal writes. Every stage stores its result, so a later attempt continues there. As a local activity it
 * fails when it cannot begin at once.
 */
export async function extractContent(deps: Dependencies, ref: GenerationRef, plan: ExtractionPlan): Promise<void> {
  const place = deps.taskRoom.enter();
  try {
    await withTries(deps, generationFence(ref), { maxTries: MAX_TRIES }, async (signal) => {
      const aborts = { signal, waitSignal: place?.waitSignal };
      const extracted = plan.context
        ? await inStage(deps, 'context', ref, signal, (input) => extractContext(deps, ref, input, plan, aborts))
        : null;
      if (!plan.artifacts || extracted?.artifactsStored) return;
      const markdown = extracted?.markdown ?? null;
      await inStage(deps, 'artifacts', ref, signal, (input) => extractArtifacts(deps, ref, input, markdown, aborts));
    });
  } finally {
    place?.leave();
  }
}

/** Returns null when the context was taken over, or stored by an earlier attempt. */
async function extractContext(
  deps: Dependencies,
  ref: GenerationRef,
  input: GenerationInput,
  plan: ExtractionPlan,
  aborts: Aborts,
): Promise<ExtractedContext | null> {
  const { database, extraction, storage } = deps;
  if (input.markdownKey !== null) return null;
  if (input.contextIsCurrent) {
    await keepContext(database.pool, ref);
    return null;
  }
  const { signal } = aborts;
  const options = { owner: input.ownerId, ...aborts };
  const content = await readContent(deps, input, signal);
  const { markdown, context, artifacts } =
    input.type === 'COMPOSITION'
      ? await extraction.run('readJoined', new TextDecoder().decode(content.bytes), options)
      : await extraction.run('read', content, options);
  const markdownKey = objectKey(ref, input.generationId, 'content.md');
  const contextKey = objectKey(ref, input.generationId, 'context.jsonl');
  const markdownBytes = new TextEncoder().encode(markdown);
  const contextBytes = writeContextFile(context);
  await Promise.all([
    storage.put(markdownKey, markdownBytes, 'text/markdown; charset=utf-8', { signal }),
    storage.put(contextKey, contextBytes, 'application/jsonl', { signal }),
  ]);
  const summary = contextSummarySchema.parse(context);
  const found = plan.artifacts && !input.artifactsAreCurrent ? artifacts : null;
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

/** @param extracted the Markdown of this generation, if this attempt extracted it. */
async function extractArtifacts(
  deps: Dependencies,
  ref: GenerationRef,
  input: GenerationInput,
  extracted: string | null,
  aborts: Aborts,
): Promise<void> {
  const { database, extraction } = deps;
  if (input.artifactsAreCurrent) {
    await keepArtifacts(database.pool, ref);
    return;
  }
  const { signal } = aborts;
  const options = { owner: input.ownerId, ...aborts };
  const markdown = extracted ?? (await storedMarkdown(deps, input, signal));
  const artifacts =
    markdown === null
      ? await extraction.run('readArtifacts', await readContent(deps, input, signal), options)
      : await extraction.run('artifacts', { markdown }, options);
  await storeArtifacts(database.pool, ref, input.contentKey, artifacts);
}

/** This generation's stored Markdown: the extracted or the joined one. Null: the content has to be read. */
async function storedMarkdown(deps: Dependencies, input: GenerationInput, signal: AbortSignal): Promise<string | null> {
  if (input.markdownKey !== null) {
    return new TextDecoder().decode(await readObject(deps.storage, input.markdownKey, signal));
  }
  if (input.type !== 'COMPOSITION') return null;
  return new TextDecoder().decode((await readContent(deps, input, signal)).bytes);
}
