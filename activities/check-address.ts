import { SourceError, type SourceErrorCode } from '../contract/errors.ts';
import type { EgressResponse } from '../platform/egress.ts';
import { statusError } from '../platform/egress-errors.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { acquireHostFetch } from './runtime/host-fetches.ts';

const TIMEOUT_MS = 15_000;

/** Result of a request to an address, as shown in an artifact's metadata. */
export type AddressFacts = {
  /** Whether the response had a success status; null where the address is not HTTP, such as mailto:. */
  reachable: boolean | null;
  statusCode: number | null;
  /** After redirects. */
  finalUrl: string | null;
  contentType: string | null;
  /** Error code for an unreachable address. */
  reason: SourceErrorCode | null;
  checkedAt: string;
};

/**
 * Requests an address once. An error status, a blocked address and a time-out are results, not errors. `response` has
 * the first `maxBytes` bytes of the body, or is null without a response.
 */
export async function checkAddress(
  deps: Pick<Dependencies, 'config' | 'database' | 'egress'>,
  address: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<{ facts: AddressFacts; response: EgressResponse | null }> {
  const unknown = { statusCode: null, finalUrl: null, contentType: null, checkedAt: new Date().toISOString() };
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { facts: { ...unknown, reachable: null, reason: null }, response: null };
  }
  try {
    const response = await deps.egress.fetch(url, {
      maxBytes,
      timeoutMs: TIMEOUT_MS,
      partialBody: 'keep',
      signal,
      beforeHop: (hop) => acquireHostFetch(deps, hop),
    });
    const { status: statusCode, url: finalUrl, contentType } = response;
    const failure = statusError(statusCode, response.headers);
    const facts = { ...unknown, reachable: failure === null, statusCode, finalUrl, contentType };
    return { facts: { ...facts, reason: failure?.code ?? null }, response };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { facts: { ...unknown, reachable: false, reason: error.code }, response: null };
  }
}
