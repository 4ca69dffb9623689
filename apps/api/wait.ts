/** Waiting for a source instead of asking again and again: one request of the budget, however long it takes. */
import type { SourceStatus } from '../../contract/statuses.ts';
import type { CallContext } from './trpc.ts';

const finished: readonly SourceStatus[] = ['COMPLETED', 'FAILED', 'CANCELED'];

interface Waitable {
  id: string;
  spaceId: string;
  status: SourceStatus;
  revision: number;
}

interface WaitOptions {
  waitSeconds: number;
  /** The revision that the caller knows; the present one where none is given. */
  since: number | undefined;
  signal: AbortSignal | undefined;
}

/**
 * What `read` finds as soon as the source is finished or has another revision than `since`, or at the end of the wait.
 * @throws AppError 429 when the owner has too many waits open; 401 when the key ends meanwhile; whatever `read` throws.
 */
export async function waitForChange<Row extends Waitable>(
  ctx: CallContext,
  { waitSeconds, since, signal }: WaitOptions,
  read: () => Promise<Row>,
): Promise<Row> {
  const deadline = Date.now() + waitSeconds * 1_000;
  const first = await read();
  const known = since ?? first.revision;
  const isAnswer = ({ status, revision }: Row) => finished.includes(status) || revision !== known;
  if (waitSeconds === 0 || !ctx.mayWait || isAnswer(first)) return first;
  const watch = ctx.watches.open(ctx.caller, [`source:${first.id}`, `space:${first.spaceId}`], signal);
  try {
    // Again, since it may have changed before anybody listened.
    let row = await read();
    while (!isAnswer(row)) {
      const heard = await watch.next(deadline);
      row = await read();
      if (heard === null) break;
    }
    return row;
  } finally {
    watch.end('done');
  }
}
