/** Long polls: waiting for a change of a source costs one request. */
import type { SourceStatus } from '../../../contract/statuses.ts';
import type { SourceState } from '../../../db/queries/sources/read-sources.ts';
import type { CallContext } from '../trpc.ts';

const finished: readonly SourceStatus[] = ['COMPLETED', 'FAILED', 'CANCELED'];

interface WaitOptions {
  waitSeconds: number;
  /** The revision that the caller knows; default: the current one. */
  since: number | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Resolves when the source returned by `readState` is finished or its revision differs from `since`, at the latest
 * after `waitSeconds`.
 * @throws AppError 429 when the owner has too many open waits, 401 when the key becomes invalid; errors of `readState`
 */
export async function waitForChange(
  ctx: CallContext,
  { waitSeconds, since, signal }: WaitOptions,
  readState: () => Promise<SourceState>,
): Promise<void> {
  if (waitSeconds === 0 || !ctx.mayWait) return;
  const deadline = Date.now() + waitSeconds * 1_000;
  const first = await readState();
  const known = since ?? first.revision;
  const isAwaited = ({ status, revision }: SourceState) => finished.includes(status) || revision !== known;
  if (isAwaited(first)) return;
  const watch = ctx.watches.open(ctx.caller, [`source:${first.id}`, `space:${first.spaceId}`], signal);
  try {
    // Read again: the source may have changed before the watch was open.
    while (!isAwaited(await readState())) if ((await watch.next(deadline)) === null) return;
  } finally {
    watch.end('done');
  }
}
