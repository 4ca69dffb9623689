/**
 * Messages over the socket pair between the pool and a child: the length in 4 bytes (big-endian), then the message in
 * the format of v8.serialize, which keeps byte arrays as they are. Node's IPC channel trusts both ends: a compromised
 * child could use it to crash the worker, fill its memory or pass it open files.
 */
import type { Socket } from 'node:net';
import { DefaultSerializer, deserialize } from 'node:v8';

/** File descriptor of the child's end. */
export const CHANNEL = 3;

const HEADER_BYTES = 4;

/** Calls `onSent` once the message is written to the socket or the other end is closed. */
export function sendMessage(channel: Socket, message: unknown, onSent?: () => void): void {
  const serializer = new DefaultSerializer();
  serializer.writeRawBytes(Buffer.alloc(HEADER_BYTES));
  serializer.writeHeader();
  serializer.writeValue(message);
  const bytes = serializer.releaseBuffer();
  bytes.writeUInt32BE(bytes.length - HEADER_BYTES);
  channel.write(bytes, () => onSent?.());
}

/**
 * Calls `onMessage` with each message, or with undefined for one that cannot be deserialized. A message that is empty
 * or
 * longer than `maxBytes` closes the channel as soon as its length arrives; `onMessage` is then called with undefined.
 */
export function receiveMessages(channel: Socket, maxBytes: number, onMessage: (message: unknown) => void): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Bytes of the next message with its header; of the header alone until the header has arrived. */
  let expectedBytes = HEADER_BYTES;
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    while (bytes >= expectedBytes) {
      const [first = chunk] = chunks;
      const whole = chunks.length === 1 ? first : Buffer.concat(chunks);
      const length = whole.readUInt32BE();
      if (expectedBytes === HEADER_BYTES) {
        if (length === 0 || length > maxBytes) {
          channel.off('data', onData).destroy();
          onMessage(undefined);
          return;
        }
        chunks = [whole];
        expectedBytes += length;
      } else {
        bytes -= expectedBytes;
        // An empty subarray would keep the whole message in memory.
        chunks = bytes === 0 ? [] : [whole.subarray(expectedBytes)];
        const body = whole.subarray(HEADER_BYTES, expectedBytes);
        expectedBytes = HEADER_BYTES;
        onMessage(deserializeMessage(body));
      }
    }
  };
  channel.on('data', onData);
}

function deserializeMessage(body: Buffer): unknown {
  try {
    return deserialize(body);
  } catch {
    return undefined;
  }
}
