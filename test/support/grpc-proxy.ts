/** A proxy before Temporal that ends TLS, asks for credentials, and notes the calls that pass. */
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
  /** Signs the certificates of accepted clients. */
  ca?: Buffer;
}

export interface GrpcProxyOptions {
  /** Without it the proxy takes plain connections. With `ca` a client certificate is required. */
  tls?: TlsOptions;
  /** What calls must carry as `authorization: Bearer`; others are answered UNAUTHENTICATED. */
  apiKey?: string;
  /** Names of methods that are answered PERMISSION_DENIED. */
  denied?: readonly string[];
}

interface Call {
  /** Such as `RecordActivityTaskHeartbeat`. */
  method: string;
  /** When it came, by `performance.now()`. */
  at: number;
  /** Of RecordActivityTaskHeartbeat: the activity's attempt, in hexadecimal. */
  taskToken?: string;
}

export interface GrpcProxy {
  /** `127.0.0.1:<port>` */
  address: string;
  /** Calls that were forwarded, in order. */
  calls: readonly Call[];
  /** Calls without the right key. */
  refused(): number;
  /** Asks for other credentials from now on; open connections are closed. `tls` and its `ca` must be given as before. */
  become(options: GrpcProxyOptions): void;
  close(): Promise<void>;
}

/** A gRPC message from its frame (5 bytes before it: whether it is compressed, and its length). */
function messageOf(frame: Buffer): Buffer {
  const message = frame.subarray(5);
  return frame[0] === 1 ? gunzipSync(message) : message;
}

/** The first field (number 1, length-delimited) of a protobuf message. */
function firstField(message: Buffer): Buffer {
  if (message[0] !== 0x0a) throw new Error('The message does not begin with field 1.');
  let [length, shift, position] = [0, 0, 1];
  for (let byte = 0x80; byte >= 0x80; shift += 7, position += 1) {
    byte = message[position] ?? 0;
    length |= (byte & 0x7f) << shift;
  }
  return message.subarray(position, position + length);
}

/** An answer without a message. */
const refusal = (code: status) => ({
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': String(code),
  'grpc-message': 'Request unauthorized.',
});

/** Without the fields that belong to one connection. */
function forwardable(headers: IncomingHttpHeaders, kept: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':') || kept.includes(name)));
}

/** Starts a proxy from a free port of 127.0.0.1 to Temporal at `target`, which takes plain connections. */
export async function startGrpcProxy(target: string, options: GrpcProxyOptions = {}): Promise<GrpcProxy> {
  let { apiKey } = options;
  let refused = 0;
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
    // A client that sees its connection close makes another.
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
  // Connections whose handshake failed, and those that clients reset.
  secure?.on('tlsClientError', () => undefined);
  server.on('sessionError', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) {
      refused += 1;
      stream.respond(refusal(status.UNAUTHENTICATED), { endStream: true });
      return;
    }
    const method = headers[':path']?.split('/').at(-1) ?? '';
    if (options.denied?.includes(method)) {
      stream.respond(refusal(status.PERMISSION_DENIED), { endStream: true });
      return;
    }
    if (stream.session === undefined) return;
    const request = upstreamOf(stream.session).request(forwardable(headers, [':method', ':path']));
    note(stream, method);
    request.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    // A poll that its client gives up must not stay with the server, which would hand it a task.
    stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
    stream.pipe(request);
    let trailers: IncomingHttpHeaders = {};
    request.on('trailers', (received) => {
      trailers = received;
    });
    request.on('response', (answer, flags) => {
      if (stream.destroyed) return;
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(forwardable(answer, [':status']), { endStream: isWhole, waitForTrailers: !isWhole });
      if (isWhole) return;
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      request.pipe(stream, { end: false });
      // By then the trailers are there.
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
    refused: () => refused,
    become(next) {
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
