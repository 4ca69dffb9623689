import type { TRPCClient } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../apps/api/routers/index.ts';

type Source = inferRouterOutputs<AppRouter>['sources']['get'];

/** Wait of one request, which counts as one towards the rate limit. */
const WAIT_SECONDS = 30;

const finished: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELED'];

/**
 * Resolves with the source once it is COMPLETED, FAILED or CANCELED. Costs one request for each of its changes, and for
 * each 30 s without a change.
 * @throws ApiError
 */
export async function waitForSource(
  api: TRPCClient<AppRouter>,
  sourceId: string,
  options?: { signal: AbortSignal },
): Promise<Source> {
  let source = await api.sources.get.query({ sourceId }, options);
  while (!finished.includes(source.status)) {
    source = await api.sources.get.query({ sourceId, waitSeconds: WAIT_SECONDS, since: source.revision }, options);
  }
  return source;
}
