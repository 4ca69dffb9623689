/** One delivery attempt of a postback: a signed POST and its result. */
import { SourceError } from '../contract/errors.ts';
import type { Egress } from './egress.ts';
import { parseRetryAfter } from './egress-errors.ts';
import { signWebhook } from './webhook.ts';

const TIMEOUT_MS = 15_000;
const STORED_RESPONSE_BYTES = 1_024;

export interface SentPostback {
  at: Date;
  /** Null without a response. */
  statusCode: number | null;
  durationMs: number;
  /** The first 1 KiB of the response's body. */
  response: string | null;
  /** Without a response: an error code of the catalogue and a message. */
  error: string | null;
  /** Retry-After of the response in milliseconds. */
  retryAfterMs: number | undefined;
}

/** Whether the receiver accepted the postback (2xx). */
export function isDelivered({ statusCode }: Pick<SentPostback, 'statusCode'>): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

/** Sends `body`, signed with both secrets and the time `at` (default: now). @throws the reason of `signal` */
export async function sendPostback(
  egress: Egress,
  postback: { id: string; url: string; body: string; secret: string; previousSecret: string | null },
  { at = new Date(), signal }: { at?: Date; signal?: AbortSignal } = {},
): Promise<SentPostback> {
  const { id, url, body, secret, previousSecret } = postback;
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  try {
    const response = await egress.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signWebhook({ id, timestamp: at, body, secrets }) },
      body,
      maxBytes: STORED_RESPONSE_BYTES,
      partialBody: 'keep',
      redirect: 'refuse',
      timeoutMs: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    return {
      at,
      statusCode: response.status,
      durationMs: elapsed(),
      response: new TextDecoder().decode(response.body).replaceAll('\0', '\uFFFD'),
      error: null,
      retryAfterMs: parseRetryAfter(response.headers['retry-after'], new Date()),
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return {
      at,
      statusCode: null,
      durationMs: elapsed(),
      response: null,
      error: `${error.code}: ${error.message}`,
      retryAfterMs: undefined,
    };
  }
}
