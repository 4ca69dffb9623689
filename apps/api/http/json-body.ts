/** Bodies are JSON in UTF-8 without a Content-Encoding; others are rejected before a procedure runs. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalid } from '../errors.ts';
import { boundExceeded } from './json-bounds.ts';

/** Whether the headers announce a body (RFC 9112, 6.3); a chunked one may still be empty. */
export function announcesBody(request: FastifyRequest): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
}

function unsupportedMediaType(): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json in UTF-8.');
}

/** Names of UTF-8, and of ASCII, its subset. */
const charsets = new Set(['utf-8', 'utf8', 'us-ascii']);

/** The text of a JSON body. @throws AppError 400 or 415 */
function readText(request: FastifyRequest, body: Buffer): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!charsets.has(charset.toLowerCase())) throw unsupportedMediaType();
  if (!isUtf8(body)) throw invalid('body', 'Must be UTF-8.');
  const exceeded = boundExceeded(body);
  if (exceeded !== null) throw invalid('body', exceeded);
  return new TextDecoder().decode(body);
}

/**
 * Makes `app` accept bodies of application/json only. `read` parses the text for handlers. An empty body counts as
 * none, whatever its Content-Type, so that a body with only optional fields may be left out.
 */
export function acceptJson(app: FastifyInstance, read: (text: string, request: FastifyRequest) => unknown): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : read(readText(request, body), request),
  );
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => {
    if (body.length > 0) throw unsupportedMediaType();
  });
  app.addHook('preParsing', async (request) => {
    const coding = request.headers['content-encoding'];
    if (coding === undefined || coding.toLowerCase() === 'identity' || !announcesBody(request)) return;
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent without a Content-Encoding.', {
      headers: { 'accept-encoding': 'identity' },
    });
  });
}

/** Limit of the body of a request that takes none: an empty object with white space. */
const MAX_EMPTY_BYTES = 1_024;

/**
 * Reads the body of a GET, which Fastify does not: some clients send `{}`.
 * @throws AppError 400 for any other body
 */
export async function readNoBody(request: FastifyRequest): Promise<void> {
  if (!announcesBody(request)) return;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.raw) {
    bytes += chunk.length;
    if (bytes > MAX_EMPTY_BYTES) throw takesNoBody(request);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  if (!/^\s*(\{\s*\}\s*)?$/.test(text)) throw takesNoBody(request);
}

/** @throws AppError 400 unless the body of a request that takes none is absent or an empty object */
export function requireNoFields(request: FastifyRequest, body: unknown): void {
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
  if (body !== undefined && !isEmpty) throw takesNoBody(request);
}

function takesNoBody({ method }: FastifyRequest): AppError {
  return invalid('body', `${method} takes no body but an empty object.`);
}

/** The value of a JSON text. @throws AppError 400 on `body` */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'The request is not valid.', {
      details: [{ field: 'body', message: 'Not valid JSON.' }],
      cause,
    });
  }
}
