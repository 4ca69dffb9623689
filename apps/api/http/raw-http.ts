/** Responses outside Fastify: to bytes that are not HTTP, and to HTTP that Node.js handles itself. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorResponse } from '../errors.ts';

/** Headers of every response. */
export const commonHeaders = { 'x-content-type-options': 'nosniff' } as const;

/** Responses by error code of Node's parser; all other codes are 400. */
const parserErrors: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers, path included, are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The body is too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
};

/** Fastify's `clientErrorHandler`: sends our error shape and closes the connection. */
export function respondToClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const known = parserErrors[error.code ?? ''] ?? { status: 400, message: 'The request is not valid HTTP.' };
  const { status } = known;
  const body = JSON.stringify(errorResponse(status, known.message).body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `x-request-id: ${randomUUID()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Rejects an Expect header other than 100-continue, to which Node.js would respond without a body. */
export function rejectExpectation(_: IncomingMessage, response: ServerResponse): void {
  const { status, body } = errorResponse(417, 'The only supported Expect is 100-continue.');
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': randomUUID(),
    'content-length': Buffer.byteLength(text),
    ...commonHeaders,
  });
  response.end(text);
}
