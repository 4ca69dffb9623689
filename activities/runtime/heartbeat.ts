import { Context } from '@temporalio/activity';

/**
 * Interval between two heartbeats, as a share of the activity's heartbeat timeout: 12 s of 20 s. It is longer than the
 * 10 s by which the worker throttles the heartbeats of one activity.
 */
const SHARE_OF_TIMEOUT = 0.6;

/** Sends a heartbeat now. Later heartbeats repeat its details, and the next attempt can read them. */
export type Beat = (details: unknown) => void;

/**
 * Runs `work` with heartbeats, the first one after one interval unless `work` sends one earlier. The signal is aborted
 * when Temporal has canceled the activity, as the response to a heartbeat reports, or when the worker shuts down. A
 * local activity has no heartbeats.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal, beat: Beat) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs } = context.info;
  if (context.info.isLocal) return work(context.cancellationSignal, () => undefined);
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
  // Repeats the details of the earlier attempt, so that they are not lost.
  beatLater(context.info.heartbeatDetails);
  try {
    return await work(context.cancellationSignal, beat);
  } finally {
    clearTimeout(timer);
  }
}
