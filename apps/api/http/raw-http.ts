/** Answers to what never becomes a request: bytes that are no HTTP, or HTTP that Node.js answers by itself. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { refusal } from '../errors.ts';

/** Headers of every answer: none is taken for something else than it says. */
export const everyAnswer = { 'x-content-type-options': 'nosniff' } as const;

/** By the error code of Node's parser; all others are 400. */
const parserRefusals: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers, path included, are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The body is too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
};

/** Fastify's `clientErrorHandler`: answers in our shape and ends the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const known = parserRefusals[error.code ?? ''] ?? { status: 400, message: 'The request is not valid HTTP.' };
  const { status } = known;
  const body = JSON.stringify(refusal(status, known.message).body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `x-request-id: ${randomUUID()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(everyAnswer).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** An Expect header other than 100-continue, which Node would answer without a body. */
export function answerExpectation(_: IncomingMessage, response: ServerResponse): void {
  const { status, body } = refusal(417, 'Expect may only ask for 100-continue.');
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': randomUUID(),
    'content-length': Buffer.byteLength(text),
    ...everyAnswer,
  });
  response.end(text);
}
