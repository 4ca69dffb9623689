import { setTimeout as delay } from 'node:timers/promises';
import { retryAfterOf } from './api-error.ts';

/**
 * `fetch` that repeats a request after a 429 once its Retry-After has passed, as long as the waits take no more than
 * `waitSeconds` in total; then the 429 is returned.
 */
export async function fetchWithRetry(
  input: string | URL | Request,
  init: RequestInit,
  waitSeconds: number,
): Promise<Response> {
  let remainingSeconds = waitSeconds;
  for (;;) {
    const response = await fetch(input, init);
    const seconds = retryAfterOf(response.headers);
    if (response.status !== 429 || seconds === undefined || seconds > remainingSeconds) return response;
    await response.body?.cancel();
    await delay(seconds * 1_000, undefined, init.signal ? { signal: init.signal } : {});
    remainingSeconds -= seconds;
  }
}
