/** Conversion of errors of outbound requests to codes of the error catalogue. */
import { AssertionError } from 'node:assert';
import { errors } from 'undici';
import { SourceError } from '../contract/errors.ts';
import { DecodedTooLargeError, UnknownCodingError } from './content-coding.ts';

const tlsCodes =
  /^(CERT_|CRL_|DEPTH_ZERO_|EPROTO$|ERR_OSSL_|ERR_SSL_|ERR_TLS_|ERROR_IN_C|HOSTNAME_MISMATCH$|INVALID_|PATH_LENGTH_|SELF_SIGNED_|UNABLE_TO_)/;
const timeoutCodes = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const connectionCodes =
  /^(EACCES|EADDRNOTAVAIL|ECONN(ABORTED|REFUSED|RESET)|EHOSTDOWN|EHOSTUNREACH|ENETDOWN|ENETUNREACH|EPERM|EPIPE|HPE|UND_ERR_(SOCKET|ABORTED|RES_CONTENT_LENGTH_MISMATCH|HEADERS_OVERFLOW))$/;
const damagedCodes = /^(Z_|ZSTD_|ERR__ERROR_|ERR_BROTLI_|ERR_ZSTD_|ERR_PADDING_|ERR_DICTIONARY)/;

/**
 * Converts an error of a request to `host` to a SourceError. A refused or broken connection, a body shorter than its
 * Content-Length and a damaged compressed body are `fetch_connection`. Errors that the network did not cause (a bug, no
 * file handles left) are returned unchanged.
 */
export function egressError(error: unknown, host: string): unknown {
  if (error instanceof SourceError) return error;
  if (error instanceof UnknownCodingError) {
    return new SourceError('fetch_connection', `${host} compressed its response in a way that is not supported.`, {
      retryable: false,
      cause: error,
    });
  }
  if (error instanceof DecodedTooLargeError) return tooLargeError(host, error.maxBytes);
  const code = errorCode(error);
  if (code === undefined) return error;
  if (tlsCodes.test(code))
    return new SourceError('fetch_tls', `No secure connection to ${host} (${code}).`, { cause: error });
  if (timeoutCodes.test(code)) return timeoutError(host, error);
  if (damagedCodes.test(code)) {
    return new SourceError('fetch_connection', `The compressed response of ${host} is damaged or incomplete.`, {
      cause: error,
    });
  }
  if (code === 'ECONNREFUSED')
    return new SourceError('fetch_connection', `${host} refused the connection.`, { cause: error });
  if (connectionCodes.test(code)) {
    return new SourceError('fetch_connection', `The connection to ${host} failed or was closed early (${code}).`, {
      cause: error,
    });
  }
  return error;
}

/** Returns `fetch_too_large` for a response of `host` of more than `maxBytes`. */
export function tooLargeError(host: string, maxBytes: number): SourceError {
  return new SourceError('fetch_too_large', `The response of ${host} is larger than ${maxBytes} bytes.`);
}

/** Returns `fetch_timeout` for a request to `host`. */
export function timeoutError(host: string, cause?: unknown): SourceError {
  return new SourceError('fetch_timeout', `${host} did not respond in time.`, { cause });
}

/**
 * Returns `fetch_http_status` for a status other than 2xx, else null. 408, 429 and 5xx are retryable, and their
 * Retry-After becomes `retryAfterMs`.
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
  return new SourceError('fetch_http_status', `The server returned status ${status}.`, {
    retryable,
    remedy: statusRemedy(status),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function statusRemedy(status: number): string {
  if (status === 429) return 'It receives too many requests: refresh the source later.';
  if (status === 408 || status >= 500) return 'It has a problem: refresh the source later.';
  if (status === 304) return 'That means "not modified", but the request had no condition: refresh the source later.';
  if (status >= 300 && status < 400)
    return 'That is a redirect without a usable target: use the address of the page itself.';
  if (status === 401 || status === 403 || status === 407) return 'Check that the URL opens without signing in.';
  if (status === 404 || status === 410) return 'Nothing exists at this address: check the URL.';
  return 'Check that the URL opens in a browser.';
}

/**
 * Returns the milliseconds of a Retry-After header (RFC 9110 section 10.2.3: whole seconds, or an HTTP-date in any of
 * its three forms); 0 for a past date, undefined for a missing or invalid value. Callers set an upper bound.
 */
export function parseRetryAfter(value: string | null | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  // The asctime form has no time zone; Date.parse would read it as local time.
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

/** Returns the code of an error, of its first inner error (AggregateError of several addresses), or of its cause. */
function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  // A response that is not HTTP or ends within a chunk, without a reliable code; a status below 100 fails an assertion.
  if (error instanceof errors.HTTPParserError || error instanceof AssertionError) return 'HPE';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('errors' in error && Array.isArray(error.errors)) return errorCode(error.errors[0]);
  return 'cause' in error ? errorCode(error.cause) : undefined;
}
