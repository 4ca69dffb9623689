/**
 * Content codings of HTTP (RFC 9110 section 8.4), undone as a stream, so that a reader who stops early stops the
 * decompression too: a small body that unfolds to gigabytes costs no more than what was read of it.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

/** What to offer in Accept-Encoding. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd';

/** Codings stacked on one body; honest servers use one. */
const MAX_LAYERS = 2;

export class UnknownCodingError extends Error {
  override readonly name = 'UnknownCodingError';
}

/** A layer of a stacked coding unfolds to more than is accepted, whatever the layers within make of it. */
export class UnfoldsTooFarError extends Error {
  override readonly name = 'UnfoldsTooFarError';
  readonly mostBytes: number;
  constructor(mostBytes: number) {
    super(`more than ${mostBytes} bytes between two content codings`);
    this.mostBytes = mostBytes;
  }
}

/**
 * The decoded bytes of `body`. An empty body is empty under every coding, as answers to HEAD are.
 * @param contentEncoding the header's value, codings in the order in which they were applied.
 * @param mostBytes that may come out of a layer which another one decodes; who reads counts what comes out of the last.
 * @throws UnfoldsTooFarError; UnknownCodingError before the first byte for a coding outside ACCEPTED_CODINGS or too many of them; an error
 *   of node:zlib (code `Z_*`, `ERR_*`, `ZSTD_*`) for a damaged or cut stream.
 */
export function decodeContent(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string,
  mostBytes: number,
): AsyncIterable<Uint8Array> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_LAYERS) throw new UnknownCodingError('too many content codings');
  const decoders = codings.reverse().map(decoderOf);
  return decoders.reduce(
    (inner, decoder, index) => decodeLayer(index === 0 ? inner : limited(inner, mostBytes), decoder),
    body,
  );
}

async function* limited(source: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > mostBytes) throw new UnfoldsTooFarError(mostBytes);
    yield chunk;
  }
}

/** Makes the decoder once the first byte is known. */
type MakeDecoder = (firstByte: number) => Transform;

function decoderOf(coding: string): MakeDecoder {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return () => createGunzip();
    case 'deflate':
      // The standard means the zlib format; some servers send bare deflate. The low half of zlib's first byte is 8.
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
  // The callback only keeps pipeline from throwing: its error comes out of the decoder's iterator as well.
  yield* pipeline(Readable.from(whole()), makeDecoder(firstByte), () => {});
}
