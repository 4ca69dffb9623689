/**
 * The only client for HTTP requests to addresses that users name: content, link checks, postbacks.
 *
 * Each request, and each hop of a redirect, has its own connection: the name is resolved once, the addresses are
 * checked, and only those that passed are connected to, without a second look-up. Connections are never reused, so none
 * outlives its check.
 */
import { promises as dns } from 'node:dns';
import { Client, type Dispatcher } from 'undici';
import { SourceError } from '../contract/errors.ts';
import { createAddressRules, type UrlCheck, urlFormError } from './addresses.ts';
import { type CheckedConnection, checkedConnector, type Resolve } from './checked-connection.ts';
import { ACCEPTED_CODINGS, decodeContent } from './content-coding.ts';
import { egressError, timeoutError, tooLargeError } from './egress-errors.ts';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** Received bytes allowed beyond twice the accepted body: headers, framing, data sent before we disconnect. */
const RECEIVED_ALLOWANCE_BYTES = 1024 * 1024;
const credentialHeaders = new Set(['authorization', 'cookie', 'proxy-authorization']);

export type EgressRequest = {
  /** Default: GET. */
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /**
   * Limit of the body after decompression. A connection may receive twice as many bytes and 1 MiB in all.
   */
  maxBytes: number;
  /** Limit of the whole request in milliseconds: look-up, connections, redirects and body. */
  timeoutMs: number;
  /** `follow` (default) follows redirects of GET and HEAD; `refuse` returns the 3xx response itself. */
  redirect?: 'follow' | 'refuse';
  /** Limit of followed redirects. Default: 5. */
  maxRedirects?: number;
  /**
   * `refuse` (default): a body that is too large, incomplete or late is an error. `keep`: any body is accepted once the
   * status has arrived, and cut to the part of its first `maxBytes` that was received.
   */
  partialBody?: 'refuse' | 'keep';
  /** Called before each hop with its URL; an error that it throws ends the request. */
  beforeHop?: (url: URL) => Promise<void>;
  /** Aborts the request; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
};

export type EgressResponse = {
  status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Readonly<Record<string, string>>;
  /** Content-Type reduced to printable ASCII and 255 characters; null if missing. */
  contentType: string | null;
  /** Decompressed. */
  body: Uint8Array;
  /** Whether `body` is incomplete; only with `partialBody: 'keep'`. */
  truncated: boolean;
  /** URL of the response, after redirects. */
  url: string;
  /** Number of redirects that were followed. */
  redirects: number;
};

export type Egress = {
  /** Checks a URL of a user without the network; see AddressRules. */
  checkUrl(text: string): UrlCheck;
  /**
   * Sends one request and returns the response, whatever its status (see `statusError`).
   * @throws SourceError `fetch_*`; the reason of `signal`; an Error if the client is closed.
   */
  fetch(url: string | URL, request: EgressRequest): Promise<EgressResponse>;
  /** Aborts open requests; later ones fail. */
  close(): Promise<void>;
};

/**
 * Creates a client that may reach public addresses and those in `allow` (`address:port` or `[address]:port`).
 * @throws TypeError that names an invalid entry of `allow`.
 */
export function createEgress(options: { allow: readonly string[]; userAgent?: string; resolve?: Resolve }): Egress {
  const rules = createAddressRules(options.allow);
  const resolve = options.resolve ?? ((hostname) => dns.lookup(hostname, { all: true }));
  const userAgent = options.userAgent ?? 'context-workspace';
  const closing = new AbortController();
  const open = new Set<Promise<unknown>>();

  async function run(target: string | URL, request: EgressRequest): Promise<EgressResponse> {
    closing.signal.throwIfAborted();
    request.signal?.throwIfAborted();
    let url = requestUrl(URL.parse(String(target)), 'The URL');
    let headers: Record<string, string> = {
      'user-agent': userAgent,
      accept: '*/*',
      ...lowerCased(request.headers ?? {}),
      'accept-encoding': ACCEPTED_CODINGS,
    };
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), request.timeoutMs);
    const signals = [closing.signal, timeout.signal, ...(request.signal === undefined ? [] : [request.signal])];
    const signal = AbortSignal.any(signals);
    try {
      for (let redirects = 0; ; redirects += 1) {
        await request.beforeHop?.(url);
        const maxReceivedBytes = 2 * request.maxBytes + RECEIVED_ALLOWANCE_BYTES;
        const response = await exchange(url, { ...request, headers }, { rules, resolve, signal, maxReceivedBytes });
        // With `partialBody: 'keep'` an abort during the body does not throw; it still rejects the request.
        request.signal?.throwIfAborted();
        closing.signal.throwIfAborted();
        const next = redirectTarget(response, url, request);
        if (next === null) return { ...response, redirects };
        if (redirects >= (request.maxRedirects ?? 5)) {
          throw new SourceError('fetch_too_many_redirects', `${url.host} redirects too often.`);
        }
        if (next.origin !== url.origin) headers = withoutCredentials(headers);
        url = next;
      }
    } catch (error) {
      request.signal?.throwIfAborted();
      closing.signal.throwIfAborted();
      if (timeout.signal.aborted && !(error instanceof SourceError)) throw timeoutError(url.host, error);
      throw egressError(error, url.host);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    checkUrl: rules.checkUrl,
    async fetch(url, request) {
      const response = run(url, request);
      open.add(response);
      try {
        return await response;
      } finally {
        open.delete(response);
      }
    },
    async close() {
      closing.abort(new Error('the client for outbound requests is closed'));
      await Promise.allSettled(open);
    },
  };
}

type HopResponse = Omit<EgressResponse, 'redirects'>;

/** Sends one request over a new connection, which is closed afterwards. */
async function exchange(url: URL, request: EgressRequest, connection: CheckedConnection): Promise<HopResponse> {
  const { signal } = connection;
  // `timeoutMs` covers headers and body, so the client's own timeouts are off.
  const client = new Client(url.origin, {
    connect: checkedConnector(connection),
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // destroy() also aborts a request during its DNS look-up, which a signal of the request does not.
  const abort = () => void client.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    const response = await client.request({
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const headers = flatHeaders(response.headers);
    const status = response.statusCode;
    const head = { status, headers, contentType: mediaType(headers), url: url.href };
    const unread = { ...head, body: new Uint8Array(), truncated: false };
    if (redirectTarget(unread, url, request) !== null) return unread;
    return { ...head, ...(await readBody(response, headers, url, request)) };
  } finally {
    signal.removeEventListener('abort', abort);
    await client.destroy();
  }
}

async function readBody(
  response: Dispatcher.ResponseData,
  headers: Readonly<Record<string, string>>,
  url: URL,
  request: EgressRequest,
): Promise<{ body: Uint8Array; truncated: boolean }> {
  const keep = request.partialBody === 'keep';
  const chunks: Uint8Array[] = [];
  let size = 0;
  let truncated = false;
  try {
    const encoding = headers['content-encoding'] ?? '';
    const announced = encoding === '' && request.method !== 'HEAD' ? Number(headers['content-length'] ?? 0) : 0;
    if (!keep && announced > request.maxBytes) throw tooLargeError(url.host, request.maxBytes);
    for await (const chunk of decodeContent(response.body, encoding, request.maxBytes)) {
      const room = request.maxBytes - size;
      chunks.push(chunk.subarray(0, room));
      size += Math.min(chunk.length, room);
      if (chunk.length > room) throw tooLargeError(url.host, request.maxBytes);
    }
  } catch (error) {
    if (!keep) throw error;
    truncated = true;
  }
  return { body: Buffer.concat(chunks), truncated };
}

/** Returns the target of a redirect to follow; null for a response to return. */
function redirectTarget(response: HopResponse, from: URL, request: EgressRequest): URL | null {
  const location = response.headers.location;
  if (request.redirect === 'refuse' || request.method === 'POST') return null;
  if (!redirectStatuses.has(response.status) || location === undefined) return null;
  return requestUrl(URL.parse(location, from.href), `The redirect of ${from.host}`);
}

/** Returns the URL if its form is valid; its address is checked by the connector. @throws SourceError */
function requestUrl(url: URL | null, subject: string): URL {
  const reason = url === null ? 'must be an http or https URL' : urlFormError(url);
  if (url === null || reason !== null) throw new SourceError('fetch_blocked_address', `${subject} ${reason}.`);
  return url;
}

/** Reduces Content-Type to characters and a length that S3 accepts. */
function mediaType(headers: Readonly<Record<string, string>>): string | null {
  const printable = (headers['content-type'] ?? '').replaceAll(/[^\x20-\x7e]/g, '').trim();
  return printable === '' ? null : printable.slice(0, 255);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialHeaders.has(name)));
}

function flatHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
