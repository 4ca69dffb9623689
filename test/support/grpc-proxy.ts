/** gRPC proxy for Temporal that terminates TLS, checks credentials and records calls. */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';

interface TlsOptions {
  key: Buffer;
  cert: Buffer;
  /** CA of the accepted client certificates. */
  ca?: Buffer;
}

export interface GrpcProxyOptions {
  /** Without `tls` the proxy accepts plaintext connections. With `ca` it requires a client certificate. */
  tls?: TlsOptions;
  /** Bearer token that calls must have; other calls get UNAUTHENTICATED. */
  apiKey?: string;
  /** Methods that get PERMISSION_DENIED. */
  denied?: readonly string[];
}

interface Call {
  /** Such as `RecordActivityTaskHeartbeat`. */
  method: string;
  /** Time of arrival by `performance.now()`. */
  at: number;
  /** RecordActivityTaskHeartbeat only: the task token of the activity attempt, in hexadecimal. */
  taskToken?: string;
}

export interface GrpcProxy {
  /** `127.0.0.1:<port>` */
  address: string;
  /** Forwarded calls, in order. */
  calls: readonly Call[];
  /** Number of calls without the right key. */
  rejectedCalls(): number;
  /** Changes the required credentials and closes open connections. `tls` and `ca` must be set or unset as before. */
  setOptions(options: GrpcProxyOptions): void;
  close(): Promise<void>;
}

/** Returns the message of a gRPC frame. Its 5-byte prefix is the compression flag and the length. */
function messageOf(frame: Buffer): Buffer {
  const message = frame.subarray(5);
  return frame[0] === 1 ? gunzipSync(message) : message;
}

/** Returns the first field (number 1, length-delimited) of a protobuf message. */
function firstField(message: Buffer): Buffer {
  if (message[0] !== 0x0a) throw new Error('The message does not begin with field 1.');
  let [length, shift, position] = [0, 0, 1];
  for (let byte = 0x80; byte >= 0x80; shift += 7, position += 1) {
    byte = message[position] ?? 0;
    length |= (byte & 0x7f) << shift;
  }
  return message.subarray(position, position + length);
}

/** Headers of an error response without a message. */
const errorHeaders = (code: status) => ({
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': String(code),
  'grpc-message': 'Request unauthorized.',
});

/** Headers without pseudo-headers, except those in `kept`. */
function forwardable(headers: IncomingHttpHeaders, kept: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':') || kept.includes(name)));
}

/** Starts a proxy on a free port of 127.0.0.1 to Temporal at `target`, which accepts plaintext connections. */
export async function startGrpcProxy(target: string, options: GrpcProxyOptions = {}): Promise<GrpcProxy> {
  let { apiKey } = options;
  let rejected = 0;
  const calls: Call[] = [];
  const upstreams = new Map<Http2Session, ClientHttp2Session>();
  const secure =
    options.tls === undefined
      ? undefined
      : createSecureServer({ ...options.tls, requestCert: options.tls.ca !== undefined, rejectUnauthorized: true });
  const server = secure ?? createServer();

  function upstreamOf(session: Http2Session): ClientHttp2Session {
    const present = upstreams.get(session);
    if (present !== undefined && !present.destroyed) return present;
    const upstream = connect(`http://${target}`);
    // The client reconnects when its connection closes.
    upstream.on('error', () => session.destroy());
    upstream.on('close', () => session.close());
    upstreams.set(session, upstream);
    return upstream;
  }
  function note(stream: ServerHttp2Stream, method: string): void {
    const call: Call = { method, at: performance.now() };
    calls.push(call);
    if (method !== 'RecordActivityTaskHeartbeat') return;
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      call.taskToken = firstField(messageOf(Buffer.concat(chunks))).toString('hex');
    });
  }

  server.on('session', (session) => {
    upstreamOf(session);
    session.on('error', () => undefined);
    session.on('close', () => {
      upstreams.get(session)?.destroy();
      upstreams.delete(session);
    });
  });
  // Failed handshakes, and connections reset by clients.
  secure?.on('tlsClientError', () => undefined);
  server.on('sessionError', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) {
      rejected += 1;
      stream.respond(errorHeaders(status.UNAUTHENTICATED), { endStream: true });
      return;
    }
    const method = headers[':path']?.split('/').at(-1) ?? '';
    if (options.denied?.includes(method)) {
      stream.respond(errorHeaders(status.PERMISSION_DENIED), { endStream: true });
      return;
    }
    if (stream.session === undefined) return;
    const request = upstreamOf(stream.session).request(forwardable(headers, [':method', ':path']));
    note(stream, method);
    request.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    // Cancels polls that the client has canceled; otherwise the server would dispatch a task to them.
    stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
    stream.pipe(request);
    let trailers: IncomingHttpHeaders = {};
    request.on('trailers', (received) => {
      trailers = received;
    });
    request.on('response', (responseHeaders, flags) => {
      if (stream.destroyed) return;
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(forwardable(responseHeaders, [':status']), { endStream: isWhole, waitForTrailers: !isWhole });
      if (isWhole) return;
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      request.pipe(stream, { end: false });
      // The trailers have arrived by then.
      request.on('close', () => stream.end());
    });
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const endSessions = () => {
    for (const session of [...upstreams.keys()]) session.destroy();
  };
  return {
    address: `127.0.0.1:${address.port}`,
    calls,
    rejectedCalls: () => rejected,
    setOptions(next) {
      apiKey = next.apiKey;
      if (next.tls !== undefined) secure?.setSecureContext(next.tls);
      endSessions();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      endSessions();
      await closed;
    },
  };
}
