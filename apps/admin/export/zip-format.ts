/** The records of a ZIP file (PKWARE APPNOTE 6.3.10; section numbers in parentheses). */

const STORED = 0;
const DEFLATED = 8;
/** Names are UTF-8. */
const UTF8_FLAG = 1 << 11;
/** CRC and sizes follow the data. */
const DESCRIPTOR_FLAG = 1 << 3;
/** 2.0, and 4.5 for ZIP64. */
const [VERSION, VERSION_ZIP64] = [20, 45];
const MADE_ON_UNIX = 3 << 8;
/** A regular file with mode 0600. */
const UNIX_MODE = 0o100600;
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;

/** One file in a ZIP. Sizes in bytes, each below 4 GiB. */
export interface ZipEntry {
  path: string;
  modifiedAt: Date;
  compressed: boolean;
  /** Whether its local header was written before CRC and sizes were known. */
  streamed: boolean;
  crc32: number;
  size: number;
  compressedSize: number;
  /** Of its local header, in bytes. */
  offset: number;
}

/** Encodes little-endian numbers of 2, 4 or 8 bytes. */
function numbers(...fields: (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return buffer;
}

/** Returns MS-DOS time and date in UTC, with a resolution of 2 s (4.4.6). */
function dosTime(at: Date): [time: number, date: number] {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107) - 1980;
  return [
    (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  ];
}

/** Fields that local header and central directory share, from the flags to the length of the name. */
function common(entry: ZipEntry, name: Buffer, known: boolean): [bytes: 2 | 4, value: number][] {
  const [time, date] = dosTime(entry.modifiedAt);
  return [
    [2, UTF8_FLAG | (entry.streamed ? DESCRIPTOR_FLAG : 0)],
    [2, entry.compressed ? DEFLATED : STORED],
    [2, time],
    [2, date],
    [4, known ? entry.crc32 : 0],
    [4, known ? entry.compressedSize : 0],
    [4, known ? entry.size : 0],
    [2, name.length],
  ];
}

/** Returns the local header, which precedes an entry's data (4.3.7). */
export function localHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.path);
  const fields = common(entry, name, !entry.streamed);
  return Buffer.concat([numbers([4, 0x04034b50], [2, VERSION], ...fields, [2, 0]), name]);
}

/** Returns the data descriptor, which follows the data of a streamed entry (4.3.9). */
export function dataDescriptor({ crc32, compressedSize, size }: ZipEntry): Buffer {
  return numbers([4, 0x08074b50], [4, crc32], [4, compressedSize], [4, size]);
}

/** Returns the entry's central directory header (4.3.12); an offset from 4 GiB on is a ZIP64 field (4.5.3). */
export function centralHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.path);
  const isFar = entry.offset >= MAX_32;
  const extra = isFar ? numbers([2, 1], [2, 8], [8, entry.offset]) : Buffer.alloc(0);
  return Buffer.concat([
    numbers(
      [4, 0x02014b50],
      [2, MADE_ON_UNIX | VERSION_ZIP64],
      [2, isFar ? VERSION_ZIP64 : VERSION],
      ...common(entry, name, true),
      [2, extra.length],
      // No comment, the first disk, no internal attributes.
      ...([
        [2, 0],
        [2, 0],
        [2, 0],
      ] as const),
      [4, UNIX_MODE * 2 ** 16],
      [4, Math.min(entry.offset, MAX_32)],
    ),
    name,
    extra,
  ]);
}

/** Returns the end of the file after a central directory of `size` bytes at `offset` (4.3.14 to 4.3.16). */
export function endOfDirectory(directory: { entries: number; offset: number; size: number }): Buffer {
  const { entries, offset, size } = directory;
  const isLarge = entries >= MAX_16 || offset >= MAX_32 || size >= MAX_32;
  const zip64 = isLarge
    ? numbers(
        ...([
          [4, 0x06064b50],
          [8, 44],
          [2, MADE_ON_UNIX | VERSION_ZIP64],
          [2, VERSION_ZIP64],
          [4, 0],
          [4, 0],
        ] as const),
        ...([
          [8, entries],
          [8, entries],
          [8, size],
          [8, offset],
        ] as const),
        // The locator of the previous record.
        ...([
          [4, 0x07064b50],
          [4, 0],
          [8, offset + size],
          [4, 1],
        ] as const),
      )
    : Buffer.alloc(0);
  const few = Math.min(entries, MAX_16);
  const end = numbers(
    ...([
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, few],
      [2, few],
    ] as const),
    ...([
      [4, Math.min(size, MAX_32)],
      [4, Math.min(offset, MAX_32)],
      [2, 0],
    ] as const),
  );
  return Buffer.concat([zip64, end]);
}

/** @throws RangeError for an entry of 4 GiB or more, which would need ZIP64 sizes. */
export function requireSize(entry: ZipEntry): void {
  if (entry.size >= MAX_32 || entry.compressedSize >= MAX_32) throw new RangeError(`${entry.path} has 4 GiB or more.`);
}
