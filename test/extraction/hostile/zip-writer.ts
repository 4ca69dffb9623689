/** Writes valid and invalid ZIP files (APPNOTE 6.3). */
import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  path: string;
  data: string | Buffer;
  /** The data is already deflated; `size` is its inflated size. */
  deflated?: boolean;
  /** Inflated size that the file declares; default: the true size. */
  size?: number;
  crc?: number;
  encrypted?: boolean;
  /** The data is stored without compression. */
  stored?: boolean;
  /** Points to the data of an earlier entry, as overlapping ZIP bombs do. */
  sharesWith?: number;
}

interface Written {
  entry: ZipEntry;
  path: Buffer;
  data: Buffer;
  size: number;
  crc: number;
  offset: number;
}

function headerOf({ entry, path, data, size, crc, offset }: Written, central: boolean): Buffer {
  const header = Buffer.alloc(central ? 46 : 30);
  let at = header.writeUInt32LE(central ? 0x02014b50 : 0x04034b50);
  if (central) at = header.writeUInt16LE(20, at);
  at = header.writeUInt16LE(20, at);
  at = header.writeUInt16LE(entry.encrypted ? 1 : 0, at);
  at = header.writeUInt16LE(entry.stored ? 0 : 8, at);
  at = header.writeUInt32LE(0x00210000, at);
  at = header.writeUInt32LE(crc, at);
  at = header.writeUInt32LE(data.length, at);
  at = header.writeUInt32LE(size, at);
  header.writeUInt16LE(path.length, at);
  if (central) header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, path]);
}

/** A ZIP file of these entries, all deflated. */
export function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const local: Buffer[] = [];
  const written: Written[] = [];
  let offset = 0;
  for (const entry of entries) {
    const plain = Buffer.from(entry.data);
    const data = entry.deflated || entry.stored ? plain : deflateRawSync(plain);
    const shared = entry.sharesWith === undefined ? undefined : written[entry.sharesWith];
    const one: Written = {
      entry,
      path: Buffer.from(entry.path),
      data: shared?.data ?? data,
      size: entry.size ?? shared?.size ?? plain.length,
      crc: entry.crc ?? shared?.crc ?? (entry.deflated ? 0 : crc32(plain)),
      offset: shared?.offset ?? offset,
    };
    written.push(one);
    if (shared !== undefined) continue;
    const parts = [headerOf(one, false), data];
    local.push(...parts);
    offset += parts.reduce((sum, part) => sum + part.length, 0);
  }
  const directory = Buffer.concat(written.map((one) => headerOf(one, true)));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  // The field holds at most 65,535; for more entries, readers count them or report the file as damaged.
  const count = Math.min(written.length, 0xffff);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...local, directory, end]));
}

const MEBIBYTE = 1024 * 1024;

/** A deflate stream of `before`, `mebibytes` MiB of one character, and `after`, with its CRC-32. */
export function deflatedRun(mebibytes: number, character = ' ', before = '', after = ''): ZipEntry & { size: number } {
  const run = Buffer.alloc(MEBIBYTE, character);
  // A full flush ends at a byte boundary and resets the state, so that the piece can be repeated.
  const piece = deflateRawSync(run, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const head = deflateRawSync(Buffer.from(before), { finishFlush: constants.Z_FULL_FLUSH });
  const tail = deflateRawSync(Buffer.from(after));
  let crc = crc32(before);
  for (let count = 0; count < mebibytes; count += 1) crc = crc32(run, crc);
  return {
    path: '',
    data: Buffer.concat([head, ...Array.from({ length: mebibytes }, () => piece), tail]),
    deflated: true,
    size: before.length + mebibytes * MEBIBYTE + after.length,
    crc: crc32(after, crc),
  };
}
