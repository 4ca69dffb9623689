/** Waiting for a source instead of asking again and again: one request of the budget, however long it takes. */
import type { SourceStatus } from '../../../contract/statuses.ts';
import type { SourceState } from '../../../db/queries/sources/read-sources.ts';
import type { CallContext } from '../trpc.ts';

const finished: readonly SourceStatus[] = ['COMPLETED', 'FAILED', 'CANCELED'];

interface WaitOptions {
  waitSeconds: number;
  /** The revision that the caller knows; the present one where none is given. */
  since: number | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Returns as soon as the source that `look` finds is finished or has another revision than `since`, or at the end of the
 * wait.
 * @throws AppError 429 when the owner has too many waits open; 401 when the key ends meanwhile; whatever `look` throws.
 */
export async function waitForChange(
  ctx: CallContext,
  { waitSeconds, since, signal }: WaitOptions,
  look: () => Promise<SourceState>,
): Promise<void> {
  if (waitSeconds === 0 || !ctx.mayWait) return;
  const deadline = Date.now() + waitSeconds * 1_000;
  const first = await look();
  const known = since ?? first.revision;
  const isAwaited = ({ status, revision }: SourceState) => finished.includes(status) || revision !== known;
  if (isAwaited(first)) return;
  const watch = ctx.watches.open(ctx.caller, [`source:${first.id}`, `space:${first.spaceId}`], signal);
  try {
    // Again, since it may have changed before anybody listened.
    while (!isAwaited(await look())) if ((await watch.next(deadline)) === null) return;
  } finally {
    watch.end('done');
  }
}
