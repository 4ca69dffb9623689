/** How what goes wrong with an outbound request is told: as an entry of the error catalogue. */
import { AssertionError } from 'node:assert';
import { errors } from 'undici';
import { SourceError } from '../contract/errors.ts';
import { UnfoldsTooFarError, UnknownCodingError } from './content-coding.ts';

const tlsCodes =
  /^(CERT_|CRL_|DEPTH_ZERO_|EPROTO$|ERR_OSSL_|ERR_SSL_|ERR_TLS_|ERROR_IN_C|HOSTNAME_MISMATCH$|INVALID_|PATH_LENGTH_|SELF_SIGNED_|UNABLE_TO_)/;
const timeoutCodes = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const connectionCodes =
  /^(EACCES|EADDRNOTAVAIL|ECONN(ABORTED|REFUSED|RESET)|EHOSTDOWN|EHOSTUNREACH|ENETDOWN|ENETUNREACH|EPERM|EPIPE|HPE|UND_ERR_(SOCKET|ABORTED|RES_CONTENT_LENGTH_MISMATCH|HEADERS_OVERFLOW))$/;
const damagedCodes = /^(Z_|ZSTD_|ERR__ERROR_|ERR_BROTLI_|ERR_ZSTD_|ERR_PADDING_|ERR_DICTIONARY)/;

/**
 * The catalogue's error for what a request to `host` failed with. A refused or broken connection, a body that is shorter
 * than announced and a damaged compressed body are `fetch_connection`. Anything that is not the network's doing
 * (a bug of ours, no file handles left) comes back unchanged.
 */
export function egressError(error: unknown, host: string): unknown {
  if (error instanceof SourceError) return error;
  if (error instanceof UnknownCodingError) {
    return new SourceError('fetch_connection', `${host} compressed its answer in a way that is not supported.`, {
      retryable: false,
      cause: error,
    });
  }
  if (error instanceof UnfoldsTooFarError) return tooLargeError(host, error.mostBytes);
  const code = errorCode(error);
  if (code === undefined) return error;
  if (tlsCodes.test(code))
    return new SourceError('fetch_tls', `No secure connection to ${host} (${code}).`, { cause: error });
  if (timeoutCodes.test(code)) return timeoutError(host, error);
  if (damagedCodes.test(code)) {
    return new SourceError('fetch_connection', `The compressed answer of ${host} is damaged or was broken off.`, {
      cause: error,
    });
  }
  if (code === 'ECONNREFUSED')
    return new SourceError('fetch_connection', `${host} refused the connection.`, { cause: error });
  if (connectionCodes.test(code)) {
    return new SourceError('fetch_connection', `The connection to ${host} failed or was broken off (${code}).`, {
      cause: error,
    });
  }
  return error;
}

/** `fetch_too_large` for an answer of `host` of which no more than `mostBytes` are accepted. */
export function tooLargeError(host: string, mostBytes: number): SourceError {
  return new SourceError('fetch_too_large', `The answer of ${host} is larger than ${mostBytes} bytes.`);
}

/** `fetch_timeout` for a request to `host`. */
export function timeoutError(host: string, cause?: unknown): SourceError {
  return new SourceError('fetch_timeout', `${host} did not answer in time.`, { cause });
}

/**
 * `fetch_http_status` for a status other than 2xx, else null. 408, 429 and 5xx are retryable, and their Retry-After
 * becomes `retryAfterMs`.
 * @param headers with names in lower case.
 */
export function statusError(
  status: number,
  headers: Readonly<Record<string, string>>,
  now: Date = new Date(),
): SourceError | null {
  if (status >= 200 && status < 300) return null;
  const retryable = status === 408 || status === 429 || status >= 500;
  const retryAfterMs = retryable ? parseRetryAfter(headers['retry-after'], now) : undefined;
  return new SourceError('fetch_http_status', `The server answered with status ${status}.`, {
    retryable,
    remedy: statusRemedy(status),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function statusRemedy(status: number): string {
  if (status === 429) return 'It gets too many requests: refresh the source later.';
  if (status === 408 || status >= 500) return 'It is in trouble: refresh the source when it is up again.';
  if (status === 304) return 'That says "not modified", though it was not asked about: refresh the source later.';
  if (status >= 300 && status < 400)
    return 'That is a redirect which leads nowhere: use the address of the page itself.';
  if (status === 401 || status === 403 || status === 407) return 'Check that the URL opens without signing in.';
  if (status === 404 || status === 410) return 'Nothing is there: check the URL.';
  return 'Check that the URL opens in a browser.';
}

/**
 * Milliseconds to wait from a Retry-After header (RFC 9110 section 10.2.3: whole seconds, or an HTTP-date in any of its
 * three forms); 0 for a date gone by, undefined where there is nothing usable. There is no upper bound: callers set one.
 */
export function parseRetryAfter(value: string | null | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  // The asctime form names no zone, and JavaScript would read it as local time.
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

/** The code of an error, or of the first error within it: several addresses tried in turn fail as one AggregateError. */
function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  // An answer that is no HTTP, or ends within a chunk; its own code is not always set. A status below 100 is an assertion.
  if (error instanceof errors.HTTPParserError || error instanceof AssertionError) return 'HPE';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('errors' in error && Array.isArray(error.errors)) return errorCode(error.errors[0]);
  return 'cause' in error ? errorCode(error.cause) : undefined;
}
