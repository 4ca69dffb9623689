import { invalid } from '../errors.ts';
import type { CallContext } from '../trpc.ts';
import { FairShare } from './fair-share.ts';

const MIB = 1024 * 1024;
/** Of what is streamed, so many bytes are in memory at most. */
export const STREAM_BYTES = MIB;
/** What is read whole is there as bytes, as text, and once more as the answer. */
export const COPIES = 4;
/** Less than the storage has to answer, so that no queue of reads outlasts it. */
const PATIENCE_MS = 3_000;

/** What the reads of stored objects may take of a process. */
export function createReadMemory(): FairShare {
  return new FairShare({ most: 96 * MIB, mostOfOwner: 32 * MIB, patienceMs: PATIENCE_MS });
}

/** Requests that have taken some, by what ends with them. */
const requests = new WeakSet<AbortSignal>();

/**
 * Takes memory for a read of the caller's until the answer was sent, as soon as there is some.
 * @throws AppError 400 for the second one of a tRPC batch, which would wait for the end of its own request; 503 when there
 *   is none for long
 */
export async function takeReadMemory({ readMemory, caller, closed }: CallContext, bytes: number): Promise<void> {
  if (requests.has(closed)) throw invalid('path', 'A batch takes one read of content: send the others one by one.');
  requests.add(closed);
  const release = await readMemory.take(caller.userId, bytes, closed);
  if (closed.aborted) release();
  else closed.addEventListener('abort', release, { once: true });
}
