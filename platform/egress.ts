/**
 * The one client for HTTP requests to addresses that users name: content, link checks, postbacks.
 *
 * Each request, and each hop of a redirect, has a connection of its own: the name is resolved once, the addresses found
 * are judged, and the connection is made to those that passed, never to the result of a second look-up. Connections are
 * not kept for a later request, so none outlives the check that was made for it.
 */
import { promises as dns } from 'node:dns';
import { Client, type Dispatcher } from 'undici';
import { SourceError } from '../contract/errors.ts';
import { createAddressRules, formRefusal, type UrlCheck } from './addresses.ts';
import { type CheckedConnection, checkedConnector, type Resolve } from './checked-connection.ts';
import { ACCEPTED_CODINGS, decodeContent } from './content-coding.ts';
import { egressError, timeoutError, tooLargeError } from './egress-errors.ts';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** What may come in besides twice the accepted body: headers, framing, what was sent before a reader hung up. */
const RECEIVED_ALLOWANCE_BYTES = 1024 * 1024;
const credentialHeaders = new Set(['authorization', 'cookie', 'proxy-authorization']);

export type EgressRequest = {
  /** GET where none is given. */
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /**
   * Bytes of the body that are accepted, counted after decompression. Everything that a connection brings may be twice
   * that and 1 MiB.
   */
  maxBytes: number;
  /** Milliseconds for everything together: look-up, connections, redirects and the last byte of the body. */
  timeoutMs: number;
  /** `follow` (default) follows redirects of GET and HEAD; `refuse` returns the 3xx answer itself. */
  redirect?: 'follow' | 'refuse';
  /** Redirects that are followed; 5 where nothing is given. */
  maxRedirects?: number;
  /**
   * `refuse` (default): a body that is too large, broken off or late is an error. `keep`: once the status has arrived
   * the answer counts, and the body is what came of its first `maxBytes`.
   */
  partialBody?: 'refuse' | 'keep';
  /** Called before each hop with its address; what it throws ends the request. */
  beforeHop?: (url: URL) => Promise<void>;
  /** Ends the request at once; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
};

export type EgressResponse = {
  status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Readonly<Record<string, string>>;
  /** The media type as far as it is one: printable ASCII, at most 255 characters; null where there is none. */
  contentType: string | null;
  /** Decompressed. */
  body: Uint8Array;
  /** Whether there was more to the body than `body`; only with `partialBody: 'keep'`. */
  truncated: boolean;
  /** The address that answered, after redirects. */
  url: string;
  /** How many redirects led there. */
  redirects: number;
};

export type Egress = {
  /** Judges a URL as a user sent it, without the network; see AddressRules. */
  checkUrl(text: string): UrlCheck;
  /**
   * Sends one request and returns the answer whatever its status (`statusError` judges that).
   * @throws SourceError `fetch_*`; the reason of `signal`; an Error when the client is closed.
   */
  fetch(url: string | URL, request: EgressRequest): Promise<EgressResponse>;
  /** Ends what is open; later requests are refused. */
  close(): Promise<void>;
};

/**
 * A client that may reach public addresses and those in `allow` (EGRESS_ALLOW: `address:port`, `[address]:port`).
 * @throws TypeError naming the entry of `allow` that is not of that form.
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
        const mostReceivedBytes = 2 * request.maxBytes + RECEIVED_ALLOWANCE_BYTES;
        const answer = await exchange(url, { ...request, headers }, { rules, resolve, signal, mostReceivedBytes });
        // A body may be kept although it was cut by the end of the request; that end still counts.
        request.signal?.throwIfAborted();
        closing.signal.throwIfAborted();
        const next = redirectTarget(answer, url, request);
        if (next === null) return { ...answer, redirects };
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

type Answer = Omit<EgressResponse, 'redirects'>;

/** One request and its answer over a connection of its own, which is gone afterwards. */
async function exchange(url: URL, request: EgressRequest, connection: CheckedConnection): Promise<Answer> {
  const { signal } = connection;
  // The time limit covers headers and body, so the client's own two are off.
  const client = new Client(url.origin, {
    connect: checkedConnector(connection),
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // Destroying also ends a request whose name is still being looked up, which its own signal does not.
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
    const answer = { status, headers, contentType: mediaType(headers), url: url.href };
    const unread = { ...answer, body: new Uint8Array(), truncated: false };
    if (redirectTarget(unread, url, request) !== null) return unread;
    return { ...answer, ...(await readBody(response, headers, url, request)) };
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

/** Where this answer sends the request on to, or null when it is the answer to return. */
function redirectTarget(answer: Answer, from: URL, request: EgressRequest): URL | null {
  const location = answer.headers.location;
  if (request.redirect === 'refuse' || request.method === 'POST') return null;
  if (!redirectStatuses.has(answer.status) || location === undefined) return null;
  return requestUrl(URL.parse(location, from.href), `The redirect of ${from.host}`);
}

/** The URL, when its form is one that may be requested; its address is judged on connecting. */
function requestUrl(url: URL | null, subject: string): URL {
  const refusal = url === null ? 'must be an http or https URL' : formRefusal(url);
  if (url === null || refusal !== null) throw new SourceError('fetch_blocked_address', `${subject} ${refusal}.`);
  return url;
}

/** Storage refuses what servers may write into this header. */
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
