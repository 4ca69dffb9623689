/** Waiting for conditions, never for a time. */
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/** What no waiting makes right: `until` throws it at once. */
export class NotToBeAwaited extends Error {
  override readonly name = 'NotToBeAwaited';
}

/**
 * Asks until `look` returns something other than null, undefined or false, and returns that.
 * @throws after `withinMs`, with what was looked for and the last error or value; NotToBeAwaited at once.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  withinMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const value = await look();
      if (value !== null && value !== undefined && value !== false) return value;
      last = value;
    } catch (error) {
      if (error instanceof NotToBeAwaited) throw error;
      last = error;
    }
    await delay(POLL_MS);
  }
  throw new Error(
    `Not within ${withinMs} ms: ${what}. Last seen: ${last instanceof Error ? last.message : String(last)}`,
  );
}
