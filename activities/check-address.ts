import { SourceError, type SourceErrorCode } from '../contract/errors.ts';
import type { EgressResponse } from '../platform/egress.ts';
import { statusError } from '../platform/egress-errors.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { takeFetch } from './runtime/host-fetches.ts';

const TIMEOUT_MS = 15_000;

/** What asking for an address said, as an artifact's metadata shows it. */
export type AddressFacts = {
  /** Answered with success; null where the address is not one that can be asked for, such as mailto:. */
  reachable: boolean | null;
  statusCode: number | null;
  /** After redirects. */
  finalUrl: string | null;
  contentType: string | null;
  /** Why it is not reachable, of the error catalogue. */
  reason: SourceErrorCode | null;
  checkedAt: string;
};

/**
 * Asks for an address once. Whatever comes of it is a result, be it refused, blocked or silent. `response` holds the
 * first `maxBytes` of the body, where there was an answer.
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
      beforeHop: (hop) => takeFetch(deps, hop),
    });
    const { status: statusCode, url: finalUrl, contentType } = response;
    const refusal = statusError(statusCode, response.headers);
    const facts = { ...unknown, reachable: refusal === null, statusCode, finalUrl, contentType };
    return { facts: { ...facts, reason: refusal?.code ?? null }, response };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { facts: { ...unknown, reachable: false, reason: error.code }, response: null };
  }
}
