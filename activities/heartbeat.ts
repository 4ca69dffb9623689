import { Context } from '@temporalio/activity';

/** Well below the 2 s within which a canceled step has to stop: it hears of that in the answer to a heartbeat. */
const HEARTBEAT_MS = 500;

/**
 * Runs `work` while Temporal hears that it lives, with a signal that is aborted when the run is canceled or the
 * worker shuts down. `details` are what the next attempt finds of this one.
 */
export async function withHeartbeat<T>(
  work: (signal: AbortSignal) => Promise<T>,
  details: () => unknown = () => undefined,
): Promise<T> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(details()), HEARTBEAT_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(heartbeat);
  }
}
