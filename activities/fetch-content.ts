import { randomUUID } from 'node:crypto';
import type { GenerationRef } from '../contract/commands.ts';
import { SourceError } from '../contract/errors.ts';
import { type GenerationInput, storeContent, storeUnchanged } from '../db/transitions/generations/record-progress.ts';
import { type Fetched, fetchUri } from './fetch-uri.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { acquireOwnerSlot } from './runtime/owner-concurrency.ts';
import { failureOf, generationFence, inStage, MAX_TRIES } from './runtime/stage.ts';
import { type Tries, withTries } from './runtime/tries.ts';

const FIRST_RETRY_MS = 1_000;

/** A new object key, unique to this attempt: attempts never overwrite each other's objects. */
export function objectKey(ref: GenerationRef, generationId: string, name: string): string {
  return `sources/${ref.sourceId}/${generationId}/${randomUUID()}/${name}`;
}

/**
 * Fetches a URI, or copies a FILE's upload, and makes it the source's stored content. Unchanged content is not stored
 * again.
 */
export async function fetchContent(deps: Dependencies, ref: GenerationRef): Promise<void> {
  const options = { maxTries: MAX_TRIES, admit: acquireOwnerSlot(deps.ownerSlots) };
  await withTries(deps, generationFence(ref), options, (signal, tries) =>
    inStage(deps, 'fetch', ref, signal, async (input) => {
      // An earlier attempt, whose result was lost, has stored it.
      if (input.contentGeneration === ref.generation) return;
      const key = objectKey(ref, input.generationId, 'content');
      const fetched =
        input.type === 'FILE'
          ? await claimUpload(deps, input, key, signal)
          : await tryToFetch(deps, input, key, signal, tries);
      if (fetched.unchanged) await storeUnchanged(deps.database.pool, ref, fetched.validators);
      else await storeContent(deps.database.pool, ref, fetched.content);
    }),
  );
}

async function tryToFetch(
  deps: Dependencies,
  input: GenerationInput,
  key: string,
  signal: AbortSignal,
  tries: Tries,
): Promise<Fetched> {
  try {
    return await fetchUri(deps, input, key, signal);
  } catch (error) {
    if (error instanceof SourceError && error.retryable) {
      throw failureOf(error, { stage: 'fetch', nextRetryDelayMs: retryDelay(error, tries, deps.config) });
    }
    throw error;
  }
}

/** Milliseconds to the next attempt, or undefined when it would be later than FETCH_RETRY_SECONDS after the first. */
function retryDelay(
  error: SourceError,
  { count, elapsedMs }: Tries,
  config: Dependencies['config'],
): number | undefined {
  const backoff = FIRST_RETRY_MS * 2 ** Math.min(count - 1, 5);
  const delay = Math.max(error.retryAfterMs ?? 0, backoff);
  const left = config.FETCH_RETRY_SECONDS * 1_000 - elapsedMs;
  return delay <= left ? delay : undefined;
}

/**
 * Copies the upload to the source's own key, unless the same file is stored already.
 * @throws SourceError `upload_missing`, `file_too_large`, `upload_changed` (it is not the file that was claimed)
 */
async function claimUpload(
  { storage, config }: Dependencies,
  input: GenerationInput,
  key: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const { fileKey, claimEtag, contentKey } = input;
  if (fileKey === null) throw new SourceError('upload_missing', 'The upload of this source is gone.');
  const uploaded = await storage.head(fileKey, { signal });
  if (uploaded === null) throw new SourceError('upload_missing', 'The uploaded file no longer exists.');
  if (uploaded.sizeBytes > config.UPLOAD_MAX_BYTES) {
    throw new SourceError('file_too_large', `The file has ${uploaded.sizeBytes} bytes.`);
  }
  const { etag } = uploaded;
  const validators = { etag, lastModified: null, hash: null };
  const isSame =
    contentKey !== null &&
    etag === (claimEtag ?? etag) &&
    etag === input.validators.etag &&
    uploaded.contentType === input.contentType;
  if (isSame && (await storage.head(contentKey, { signal })) !== null) return { unchanged: true, validators };
  const outcome = await storage.copyIfMatch(fileKey, key, claimEtag ?? etag, { signal });
  if (outcome === 'missing') throw new SourceError('upload_missing', 'The uploaded file no longer exists.');
  if (outcome === 'changed') {
    throw new SourceError(
      'upload_changed',
      'The uploaded file was replaced after this source had been created from it.',
    );
  }
  const { contentType, sizeBytes } = uploaded;
  return { unchanged: false, content: { key, contentType, sizeBytes, url: null, validators } };
}
