/** The central directory of a ZIP (APPNOTE 4.3.12 to 4.3.16), read only to detect the kind of file. */
import { inflateRawSync } from 'node:zlib';

const END_BYTES = 22;
/** Maximum length of the comment after the end record. */
const MAX_COMMENT_BYTES = 0xffff;
const HEADER_BYTES = 46;
const STORED = 0;

export interface ListedFile {
  /** Offset of its local header. */
  offset: number;
  method: number;
  compressedBytes: number;
}

/** A path for comparisons: in lower case (ECMA-376 part 2, 6.2.2.3), with "/" for the "\" that Windows writes. */
export function foldedPath(path: string): string {
  return path.replaceAll('\\', '/').toLowerCase();
}

/** The directory entry of a path; null where there is no such file or no readable directory. */
export function listedFile(bytes: Uint8Array, path: string): ListedFile | null {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const folded = foldedPath(path);
  for (let at = directoryStart(buffer); at + HEADER_BYTES <= buffer.length; ) {
    if (buffer.readUInt32LE(at) !== 0x02014b50) break;
    const nameBytes = buffer.readUInt16LE(at + 28);
    const end = at + HEADER_BYTES + nameBytes;
    if (nameBytes === folded.length && foldedPath(buffer.toString('latin1', at + HEADER_BYTES, end)) === folded) {
      const compressedBytes = buffer.readUInt32LE(at + 20);
      return { offset: buffer.readUInt32LE(at + 42), method: buffer.readUInt16LE(at + 10), compressedBytes };
    }
    at = end + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return null;
}

/** The text of a file; null where it inflates to more than `maxBytes`, is damaged or missing. */
export function listedText(bytes: Uint8Array, path: string, maxBytes: number): string | null {
  const file = listedFile(bytes, path);
  if (file === null || file.offset + 30 > bytes.length) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = file.offset + 30 + buffer.readUInt16LE(file.offset + 26) + buffer.readUInt16LE(file.offset + 28);
  const data = buffer.subarray(start, start + file.compressedBytes);
  try {
    const plain = file.method === STORED ? data : inflateRawSync(data, { maxOutputLength: maxBytes });
    return plain.length > maxBytes ? null : plain.toString('utf8');
  } catch {
    return null;
  }
}

/** The bytes up to the end of the container: some servers and tools append a line break. */
export function withoutAppendix(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endRecord(buffer);
  return end === null ? bytes : bytes.subarray(0, end + END_BYTES + buffer.readUInt16LE(end + 20));
}

/** Offset of the end record. The last one counts: others belong to ZIP files packed within this one. */
function endRecord(buffer: Buffer): number | null {
  const from = Math.max(0, buffer.length - END_BYTES - MAX_COMMENT_BYTES);
  const found = buffer.subarray(from).lastIndexOf('PK\x05\x06', undefined, 'latin1');
  return found === -1 || from + found + END_BYTES > buffer.length ? null : from + found;
}

/** Offset of the central directory; the length of the file where there is none. */
function directoryStart(buffer: Buffer): number {
  const end = endRecord(buffer);
  if (end === null) return buffer.length;
  const start = buffer.readUInt32LE(end + 16);
  if (start !== 0xffffffff) return start;
  // ZIP64: a locator before the end record has the offset of a longer end record.
  const locator = end - 20;
  if (locator < 0 || buffer.readUInt32LE(locator) !== 0x07064b50) return buffer.length;
  const longEnd = Number(buffer.readBigUInt64LE(locator + 8));
  return longEnd + 56 <= buffer.length ? Number(buffer.readBigUInt64LE(longEnd + 48)) : buffer.length;
}
