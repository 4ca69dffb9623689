import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { GenerationRef } from '../contract/commands.ts';
import { SourceError } from '../contract/errors.ts';
import { type GenerationInput, type StoredContent, storeContent } from '../db/transitions/record-progress.ts';
import { statusError } from '../platform/egress-errors.ts';
import type { Dependencies } from './dependencies.ts';
import { inTurn, type Tries } from './owner-turns.ts';
import { failureOf, inStage } from './step.ts';

/** One fetch, from the look-up of the name to the last byte. */
const FETCH_TIMEOUT_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
/** Also of what is no fault of the address: the storage or the database is away. */
const MOST_TRIES = 20;

const uriData = z.object({ data: z.string() });

/** The key of an object that this attempt writes: no two attempts of any generation share one. */
export function objectKey(ref: GenerationRef, generationId: string, name: string): string {
  return `sources/${ref.sourceId}/${generationId}/${randomUUID()}/${name}`;
}

/** Fetches a URI, or claims a FILE's upload, and makes it the source's stored content. */
export async function fetchContent(deps: Dependencies, ref: GenerationRef): Promise<void> {
  await inTurn(deps.turns, { mostTries: MOST_TRIES }, (signal, tries) =>
    inStage(deps, 'fetch', ref, async (input) => {
      // An attempt whose answer was lost has stored it already.
      if (input.contentGeneration === ref.generation) return;
      const key = objectKey(ref, input.generationId, 'content');
      const content =
        input.type === 'FILE'
          ? await claimUpload(deps, input, key, signal)
          : await fetchUri(deps, input, key, signal, tries);
      await storeContent(deps.database.pool, ref, content);
    }),
  );
}

async function fetchUri(
  { config, egress, storage }: Dependencies,
  input: GenerationInput,
  key: string,
  signal: AbortSignal,
  tries: Tries,
): Promise<StoredContent> {
  const { data: url } = uriData.parse(input.initialData);
  try {
    const response = await egress.fetch(url, {
      maxBytes: config.FETCH_MAX_BYTES,
      timeoutMs: FETCH_TIMEOUT_MS,
      headers: {
        accept:
          'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, application/json;q=0.9, */*;q=0.5',
      },
      signal,
    });
    const refusal = statusError(response.status, response.headers);
    if (refusal) throw refusal;
    if (response.body.byteLength === 0) throw new SourceError('content_empty', 'The address answered without content.');
    await storage.put(key, response.body, response.contentType ?? 'application/octet-stream', { signal });
    return { key, contentType: response.contentType, sizeBytes: response.body.byteLength, url: response.url };
  } catch (error) {
    if (error instanceof SourceError && error.retryable) throw failureOf(error, retryDelay(error, tries, config));
    throw error;
  }
}

/** Milliseconds to the next attempt, or undefined once the time for trying again is used up. */
function retryDelay(error: SourceError, { count, firstAt }: Tries, config: Dependencies['config']): number | undefined {
  const backoff = FIRST_RETRY_MS * 2 ** Math.min(count - 1, 5);
  const delay = Math.max(error.retryAfterMs ?? 0, backoff);
  const left = firstAt + config.FETCH_RETRY_SECONDS * 1_000 - Date.now();
  return delay <= left ? delay : undefined;
}

/** Copies the upload to the source's own key, if it is still the file that was claimed with the request. */
async function claimUpload(
  { storage, config }: Dependencies,
  input: GenerationInput,
  key: string,
  signal: AbortSignal,
): Promise<StoredContent> {
  const { fileKey, claimEtag } = input;
  if (fileKey === null) throw new SourceError('upload_missing', 'The upload of this source is gone.');
  const present = await storage.head(fileKey, { signal });
  if (present === null) throw new SourceError('upload_missing', 'The uploaded file is not there any more.');
  if (present.sizeBytes > config.UPLOAD_MAX_BYTES) {
    throw new SourceError('file_too_large', `The file has ${present.sizeBytes} bytes.`);
  }
  const outcome = await storage.copyIfMatch(fileKey, key, claimEtag ?? present.etag, { signal });
  if (outcome === 'missing') throw new SourceError('upload_missing', 'The uploaded file is not there any more.');
  if (outcome === 'changed') {
    throw new SourceError(
      'upload_changed',
      'The uploaded file was replaced after this source had been created from it.',
    );
  }
  return { key, contentType: present.contentType, sizeBytes: present.sizeBytes, url: null };
}
