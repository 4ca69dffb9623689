import { invalid } from '../errors.ts';
import type { CallContext } from '../trpc.ts';
import { FairShare } from './fair-share.ts';

const MIB = 1024 * 1024;
/** Memory for a streamed object, in bytes. */
export const STREAM_BYTES = MIB;
/** Memory for an object that is read whole, as a multiple of its size: its bytes, its text, and the response. */
export const MEMORY_FACTOR = 4;
/** Below the timeout of storage (4 s), so that no read waits longer for memory than for storage. */
const WAIT_TIMEOUT_MS = 3_000;

/** The memory of a process for reads of stored objects. */
export function createReadMemory(): FairShare {
  return new FairShare({ max: 96 * MIB, maxPerOwner: 32 * MIB, waitTimeoutMs: WAIT_TIMEOUT_MS });
}

/** Requests that have taken memory, by their `closed` signal. */
const requests = new WeakSet<AbortSignal>();

/**
 * Takes memory for a read, as soon as it is free, until the response is sent.
 * @throws AppError 400 for a second read in a tRPC batch, which would wait for the end of its own request; 503 when no
 *   memory is free within 3 s
 */
export async function takeReadMemory({ readMemory, caller, closed }: CallContext, bytes: number): Promise<void> {
  if (requests.has(closed)) throw invalid('path', 'A batch allows one read of content: send the others separately.');
  requests.add(closed);
  const release = await readMemory.take(caller.userId, bytes, closed);
  if (closed.aborted) release();
  else closed.addEventListener('abort', release, { once: true });
}
