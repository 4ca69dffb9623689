/**
 * Messages over the socket pair between the pool and a child: a length of 4 bytes (big-endian), then what v8.serialize
 * makes of the message, so that bytes pass as they are. Node's own channel trusts both ends: a child that a document has
 * taken over could end the worker by it, fill its memory or hand it open files.
 */
import type { Socket } from 'node:net';
import { DefaultSerializer, deserialize } from 'node:v8';

/** The descriptor at which a child finds its end. */
export const CHANNEL = 3;

const HEADER_BYTES = 4;

/** Calls `sent` once the system has the message, or the other end is gone. */
export function sendMessage(channel: Socket, message: unknown, sent?: () => void): void {
  const serializer = new DefaultSerializer();
  serializer.writeRawBytes(Buffer.alloc(HEADER_BYTES));
  serializer.writeHeader();
  serializer.writeValue(message);
  const bytes = serializer.releaseBuffer();
  bytes.writeUInt32BE(bytes.length - HEADER_BYTES);
  channel.write(bytes, () => sent?.());
}

/**
 * Hands on each message as it comes, undefined for one that cannot be read. One that is empty or longer than `maxBytes` is
 * handed on as undefined too, before it is here, and nothing after it.
 */
export function receiveMessages(channel: Socket, maxBytes: number, receive: (message: unknown) => void): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Bytes of the next message with its header; of the header alone until that is here. */
  let wanted = HEADER_BYTES;
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    while (bytes >= wanted) {
      const [first = chunk] = chunks;
      const whole = chunks.length === 1 ? first : Buffer.concat(chunks);
      const length = whole.readUInt32BE();
      if (wanted === HEADER_BYTES) {
        if (length === 0 || length > maxBytes) {
          channel.off('data', take).destroy();
          receive(undefined);
          return;
        }
        chunks = [whole];
        wanted += length;
      } else {
        bytes -= wanted;
        // An empty rest would keep the whole message in memory.
        chunks = bytes === 0 ? [] : [whole.subarray(wanted)];
        const body = whole.subarray(HEADER_BYTES, wanted);
        wanted = HEADER_BYTES;
        receive(read(body));
      }
    }
  };
  channel.on('data', take);
}

function read(body: Buffer): unknown {
  try {
    return deserialize(body);
  } catch {
    return undefined;
  }
}
