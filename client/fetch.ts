import { setTimeout as delay } from 'node:timers/promises';
import { retryAfterOf } from './api-error.ts';

/**
 * `fetch`, except that what is answered 429 is sent again when its Retry-After has passed, as long as that takes no
 * more than `waitSeconds` in all; then the 429 is returned.
 */
export async function fetchWithRetry(
  input: string | URL | Request,
  init: RequestInit,
  waitSeconds: number,
): Promise<Response> {
  let left = waitSeconds;
  for (;;) {
    const response = await fetch(input, init);
    const seconds = retryAfterOf(response.headers);
    if (response.status !== 429 || seconds === undefined || seconds > left) return response;
    await response.body?.cancel();
    await delay(seconds * 1_000, undefined, init.signal ? { signal: init.signal } : {});
    left -= seconds;
  }
}
