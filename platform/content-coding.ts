/**
 * Streaming decoders for content codings of HTTP (RFC 9110 section 8.4). A reader that stops early also stops the
 * decompression: a small body that decompresses to gigabytes costs no more than the part that was read.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

/** Value of Accept-Encoding. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd';

/** Most codings of one body; legitimate servers use one. */
const MAX_LAYERS = 2;

export class UnknownCodingError extends Error {
  override readonly name = 'UnknownCodingError';
}

/** A layer between two content codings decodes to more than `maxBytes`. */
export class DecodedTooLargeError extends Error {
  override readonly name = 'DecodedTooLargeError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes between two content codings`);
    this.maxBytes = maxBytes;
  }
}

/**
 * Decodes `body`. An empty body stays empty under every coding, as in responses to HEAD.
 * @param contentEncoding the header's value, codings in the order in which they were applied.
 * @param maxBytes limit of the output of every layer but the last, which the reader counts.
 * @throws DecodedTooLargeError; UnknownCodingError before the first byte for a coding outside ACCEPTED_CODINGS or more
 *   than two codings; an error of node:zlib (code `Z_*`, `ERR_*`, `ZSTD_*`) for a damaged or truncated stream.
 */
export function decodeContent(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string,
  maxBytes: number,
): AsyncIterable<Uint8Array> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_LAYERS) throw new UnknownCodingError('too many content codings');
  const decoders = codings.reverse().map(decoderOf);
  return decoders.reduce(
    (inner, decoder, index) => decodeLayer(index === 0 ? inner : limited(inner, maxBytes), decoder),
    body,
  );
}

async function* limited(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw new DecodedTooLargeError(maxBytes);
    yield chunk;
  }
}

/** Creates a decoder; the choice may depend on the first byte. */
type MakeDecoder = (firstByte: number) => Transform;

function decoderOf(coding: string): MakeDecoder {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return () => createGunzip();
    case 'deflate':
      // The standard requires the zlib format; some servers send raw deflate. The low half of zlib's first byte is 8.
      return (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw());
    case 'br':
      return () => createBrotliDecompress();
    case 'zstd':
      return () => createZstdDecompress();
    default:
      throw new UnknownCodingError('unknown content coding');
  }
}

async function* decodeLayer(
  source: AsyncIterable<Uint8Array>,
  makeDecoder: MakeDecoder,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  const firstByte = first.done ? undefined : first.value[0];
  if (first.done || firstByte === undefined) return;
  const start = first.value;
  async function* whole() {
    yield start;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  // The empty callback prevents an uncaught error: the decoder's iterator throws the same one.
  yield* pipeline(Readable.from(whole()), makeDecoder(firstByte), () => {});
}
