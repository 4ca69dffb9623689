/** Fetches the content of a URI and detects unchanged content. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SourceError } from '../contract/errors.ts';
import type { GenerationInput, StoredContent, Validators } from '../db/transitions/generations/record-progress.ts';
import { refreshTarget } from '../extraction/readers/html/refresh.ts';
import type { EgressResponse } from '../platform/egress.ts';
import { statusError } from '../platform/egress-errors.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { acquireHostFetch } from './runtime/host-fetches.ts';

/** Limit of one fetch, from the DNS lookup to the last byte of the final page, redirects included. */
const FETCH_TIMEOUT_MS = 60_000;
/** HTTP redirects and `<meta http-equiv="refresh">` together. */
const MAX_REDIRECTS = 5;
const NOT_MODIFIED = 304;
/** ETag and Last-Modified values that are sent back: at most 512 characters, all allowed in a header. */
const validator = /^[\x20-\x7e]{1,512}$/;

const uriData = z.object({ data: z.string() });

/** `unchanged`: the stored content is current; only the new validators are to be stored. */
export type Fetched = { unchanged: true; validators: Validators } | { unchanged: false; content: StoredContent };

/**
 * Fetches the address, with a conditional request where content is stored, and stores new content at `key`.
 * @throws SourceError `fetch_*`, `content_empty`
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
  const failure = statusError(response.status, response.headers);
  if (failure) throw failure;
  const { body, contentType } = response;
  if (body.byteLength === 0) throw new SourceError('content_empty', 'The response of the address has no content.');
  const hash = createHash('sha256').update(body).digest('hex');
  // The same bytes may be extracted differently under another content type or address.
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
 * Follows HTTP and `<meta>` redirects and returns the final response. Only the request to the address that the `stored`
 * content came from is conditional: a redirecting page may be unchanged while the content is not.
 */
async function follow(
  deps: Dependencies,
  url: string,
  stored: Pick<GenerationInput, 'contentUrl' | 'validators'> | null,
  signal: AbortSignal,
): Promise<EgressResponse> {
  const { config, egress } = deps;
  const deadline = Date.now() + FETCH_TIMEOUT_MS;
  let target = url;
  for (let redirects = 0; ; ) {
    const response = await egress.fetch(target, {
      maxBytes: config.FETCH_MAX_BYTES,
      timeoutMs: Math.max(1, deadline - Date.now()),
      maxRedirects: MAX_REDIRECTS - redirects,
      beforeHop: (hop) => acquireHostFetch(deps, hop),
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
