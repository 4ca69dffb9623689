import type { TRPCClient } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../apps/api/routers/index.ts';

type Source = inferRouterOutputs<AppRouter>['sources']['get'];

/** One request of the budget waits so long. */
const WAIT_SECONDS = 30;

const finished: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELED'];

/**
 * The source once it is COMPLETED, FAILED or CANCELED. Each of its changes costs a request, and so do 30 s without any.
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
