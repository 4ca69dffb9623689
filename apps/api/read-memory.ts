import { MemoryShare } from './memory-share.ts';
import type { CallContext } from './trpc.ts';

const MIB = 1024 * 1024;
/** Of what is streamed, so many bytes are in memory at most. */
export const STREAM_BYTES = MIB;
/** What is read whole is there as bytes, as text, and once more as the answer. */
export const COPIES = 4;

/** What the reads of stored objects may take of a process. */
export function createReadMemory(): MemoryShare {
  return new MemoryShare({ most: 96 * MIB, mostOfOwner: 32 * MIB });
}

/** Takes memory for a read of the caller's until the answer was sent, as soon as there is some. */
export async function takeReadMemory({ readMemory, caller, closed }: CallContext, bytes: number): Promise<void> {
  const release = await readMemory.take(caller.userId, bytes, closed);
  if (closed.aborted) release();
  else closed.addEventListener('abort', release, { once: true });
}
