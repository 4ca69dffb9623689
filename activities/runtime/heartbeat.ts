import { Context } from '@temporalio/activity';

/**
 * Interval between two heartbeats, as a share of the activity's heartbeat timeout: 12 s of 20 s. It stays above the 10 s
 * that the worker waits at least between two calls to Temporal for one activity.
 */
const SHARE_OF_TIMEOUT = 0.6;

/** Sends a heartbeat now; its details are those of the later ones too, and what the next attempt finds of this one. */
export type Beat = (details: unknown) => void;

/**
 * Runs `work` with heartbeats, the first of them an interval after its beginning unless `work` sends one itself. Its
 * signal is aborted when Temporal has canceled the activity, which the answer to a heartbeat says, or when the worker
 * shuts down.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal, beat: Beat) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs } = context.info;
  if (heartbeatTimeoutMs === undefined) throw new Error('This activity has no heartbeat timeout.');
  let timer: NodeJS.Timeout | undefined;
  const beatLater = (details: unknown) => {
    clearTimeout(timer);
    timer = setTimeout(() => beat(details), heartbeatTimeoutMs * SHARE_OF_TIMEOUT);
  };
  const beat: Beat = (details) => {
    context.heartbeat(details);
    beatLater(details);
  };
  // What an earlier attempt has left stays as it is.
  beatLater(context.info.heartbeatDetails);
  try {
    return await work(context.cancellationSignal, beat);
  } finally {
    clearTimeout(timer);
  }
}
