/** Polls for conditions, so that tests need no fixed delays. */
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/** An error that polling again cannot fix: `until` rethrows it immediately. */
export class FinalError extends Error {
  override readonly name = 'FinalError';
}

/**
 * Polls `check` every 20 ms until it returns a value other than null, undefined and false, and returns that value.
 * @throws Error after `withinMs`, with `what` and the last error or value; FinalError immediately.
 */
export async function until<T>(
  what: string,
  check: () => Promise<T | null | undefined | false>,
  withinMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const value = await check();
      if (value !== null && value !== undefined && value !== false) return value;
      last = value;
    } catch (error) {
      if (error instanceof FinalError) throw error;
      last = error;
    }
    await delay(POLL_MS);
  }
  throw new Error(
    `Not within ${withinMs} ms: ${what}. Last result: ${last instanceof Error ? last.message : String(last)}`,
  );
}
