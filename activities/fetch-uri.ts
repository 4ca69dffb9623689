/** The content of an address: fetched, or found to be what is stored already. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SourceError } from '../contract/errors.ts';
import type { GenerationInput, StoredContent, Validators } from '../db/transitions/generations/record-progress.ts';
import { refreshTarget } from '../extraction/readers/html/refresh.ts';
import type { EgressResponse } from '../platform/egress.ts';
import { statusError } from '../platform/egress-errors.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { takeFetch } from './runtime/host-fetches.ts';

/** One fetch, from the look-up of the name to the last byte of the page that the others led to. */
const FETCH_TIMEOUT_MS = 60_000;
/** Of both kinds together: by status, and by `<meta http-equiv="refresh">`. */
const MAX_REDIRECTS = 5;
const NOT_MODIFIED = 304;
/** Longer ones are not sent back, nor are those with characters that a request may not have. */
const validator = /^[\x20-\x7e]{1,512}$/;

const uriData = z.object({ data: z.string() });

/** `unchanged`: the address has what is stored; its new validators are to be kept. */
export type Fetched = { unchanged: true; validators: Validators } | { unchanged: false; content: StoredContent };

/**
 * Asks for the address, on the condition that it changed where the generation has taken over what it was before, and
 * stores what is new at `key`. @throws SourceError `fetch_*`, `content_empty`
 */
export async function fetchUri(
  deps: Dependencies,
  input: GenerationInput,
  key: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const { data: url } = uriData.parse(input.initialData);
  const { contentKey } = input;
  const stored = contentKey !== null && (await deps.storage.head(contentKey, { signal })) !== null;
  const response = await follow(deps, url, stored ? input : null, signal);
  const validators = validatorsOf(response);
  if (stored && response.status === NOT_MODIFIED) {
    const { etag, lastModified, hash } = input.validators;
    return {
      unchanged: true,
      validators: { etag: validators.etag ?? etag, lastModified: validators.lastModified ?? lastModified, hash },
    };
  }
  const refusal = statusError(response.status, response.headers);
  if (refusal) throw refusal;
  const { body, contentType } = response;
  if (body.byteLength === 0) throw new SourceError('content_empty', 'The address answered without content.');
  const hash = createHash('sha256').update(body).digest('hex');
  // The same bytes under another type or address may read otherwise.
  const isSame =
    hash === input.validators.hash && contentType === input.contentType && response.url === input.contentUrl;
  if (stored && isSame) return { unchanged: true, validators: { ...validators, hash } };
  await deps.storage.put(key, body, contentType ?? 'application/octet-stream', { signal });
  return {
    unchanged: false,
    content: { key, contentType, sizeBytes: body.byteLength, url: response.url, validators: { ...validators, hash } },
  };
}

/**
 * The answer at the end of all redirects, those that pages ask for included. Only the address that the `stored` content
 * came from is asked for changes: one on the way there may have none while the content does.
 */
async function follow(
  deps: Dependencies,
  url: string,
  stored: Pick<GenerationInput, 'contentUrl' | 'validators'> | null,
  signal: AbortSignal,
): Promise<EgressResponse> {
  const { config, egress } = deps;
  const until = Date.now() + FETCH_TIMEOUT_MS;
  let target = url;
  for (let redirects = 0; ; ) {
    const response = await egress.fetch(target, {
      maxBytes: config.FETCH_MAX_BYTES,
      timeoutMs: Math.max(1, until - Date.now()),
      maxRedirects: MAX_REDIRECTS - redirects,
      beforeHop: (hop) => takeFetch(deps, hop),
      headers: {
        accept:
          'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, application/json;q=0.9, */*;q=0.5',
        ...(stored !== null && new URL(target).href === stored.contentUrl ? conditionsOf(stored.validators) : {}),
      },
      signal,
    });
    redirects += response.redirects;
    const next = response.status === 200 ? refreshTarget(response) : null;
    if (next === null) return response;
    if (redirects >= MAX_REDIRECTS) {
      throw new SourceError('fetch_too_many_redirects', `${new URL(response.url).host} redirects too often.`);
    }
    redirects += 1;
    target = next;
  }
}

function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

function validatorsOf({ headers }: EgressResponse): Omit<Validators, 'hash'> {
  const usable = (value: string | undefined) => (value !== undefined && validator.test(value) ? value : null);
  return { etag: usable(headers.etag), lastModified: usable(headers['last-modified']) };
}
