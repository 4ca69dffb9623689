/**
 * Compound files (MS-CFB), the container of Office before 2007 and of encrypted Office documents. Only the directory is
 * read, to detect the kind of document.
 */
const signature = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const SMALL_STREAM_BYTES = 4096;
/** Sector numbers from here on are special values: end of chain, free and others. */
const FIRST_MARK = 0xfffffffa;

/**
 * Names of the streams and storages directly below the root, which identify the kind of document; those of embedded
 * documents are deeper. Empty where the bytes are not a compound file or are damaged.
 */
export function compoundNames(bytes: Uint8Array): ReadonlySet<string> {
  const view = viewOf(bytes);
  return view === null ? new Set() : new Set(topEntries(view, directoryEntries(view)).keys());
}

/**
 * True where the file has every byte of a stream or storage below the root. False where the file ends before the stream
 * does, where there is no such stream, and where the bytes are not a compound file.
 */
export function hasWholeStream(bytes: Uint8Array, name: string): boolean {
  const view = viewOf(bytes);
  if (view === null) return false;
  const entries = directoryEntries(view);
  const entry = topEntries(view, entries).get(name);
  const root = entries[0];
  if (entry === undefined || root === undefined) return false;
  // Small streams are stored within the root's stream.
  const isSmall = view.getUint32(entry + 120, true) < SMALL_STREAM_BYTES;
  return isWholeChain(view, isSmall ? root : entry);
}

function isWholeChain(view: DataView, entry: number): boolean {
  const sectorBytes = sectorBytesOf(view);
  const next = allocationOf(view);
  let left = view.getUint32(entry + 120, true);
  for (let sector = view.getUint32(entry + 116, true); left > 0; ) {
    const start = (sector + 1) * sectorBytes;
    if (sector >= FIRST_MARK || start + Math.min(left, sectorBytes) > view.byteLength) return false;
    left -= sectorBytes;
    const following = next(sector);
    if (following === null) return left <= 0;
    sector = following;
  }
  return true;
}

function viewOf(bytes: Uint8Array): DataView | null {
  if (bytes.length < HEADER_BYTES || signature.some((byte, at) => bytes[at] !== byte)) return null;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Offsets of the entries directly below the root, by name. */
function topEntries(view: DataView, entries: number[]): Map<string, number> {
  const names = new Map<string, number>();
  const pending = [entries[0] === undefined ? FIRST_MARK : view.getUint32(entries[0] + 76, true)];
  const seen = new Set<number>();
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const at = entries[id];
    if (at === undefined || seen.has(id)) continue;
    seen.add(id);
    names.set(nameAt(view, at), at);
    pending.push(view.getUint32(at + 68, true), view.getUint32(at + 72, true));
  }
  return names;
}

function nameAt(view: DataView, at: number): string {
  const length = Math.min(view.getUint16(at + 64, true), 64) - 2;
  let name = '';
  for (let offset = 0; offset < length; offset += 2) name += String.fromCharCode(view.getUint16(at + offset, true));
  return name;
}

function sectorBytesOf(view: DataView): number {
  return view.getUint16(30, true) === 12 ? 4096 : 512;
}

/** A function that returns the next sector of a chain, or null where the allocation table has no entry. */
function allocationOf(view: DataView): (sector: number) => number | null {
  const sectorBytes = sectorBytesOf(view);
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes;
  const isWhole = (sector: number) => sector < FIRST_MARK && offsetOf(sector) + sectorBytes <= view.byteLength;
  const table = allocationSectors(view, sectorBytes, isWhole);
  const perSector = sectorBytes / 4;
  return (sector) => {
    const tableSector = table[Math.floor(sector / perSector)];
    if (tableSector === undefined || !isWhole(tableSector)) return null;
    return view.getUint32(offsetOf(tableSector) + (sector % perSector) * 4, true);
  };
}

/** Offsets of the directory entries, ordered by id. */
function directoryEntries(view: DataView): number[] {
  const sectorBytes = sectorBytesOf(view);
  const next = allocationOf(view);
  const entries: number[] = [];
  const seen = new Set<number>();
  for (let sector: number | null = view.getUint32(48, true); sector !== null && sector < FIRST_MARK; ) {
    const start = (sector + 1) * sectorBytes;
    if (seen.has(sector) || start + sectorBytes > view.byteLength) break;
    seen.add(sector);
    for (let at = start; at < start + sectorBytes; at += ENTRY_BYTES) entries.push(at);
    sector = next(sector);
  }
  return entries;
}

/** The sectors of the allocation table: the header lists 109, a chain of sectors lists the others. */
function allocationSectors(view: DataView, sectorBytes: number, isWhole: (sector: number) => boolean): number[] {
  const sectors: number[] = [];
  for (let at = 76; at < HEADER_BYTES; at += 4) sectors.push(view.getUint32(at, true));
  const seen = new Set<number>();
  for (let next = view.getUint32(68, true); isWhole(next) && !seen.has(next); ) {
    seen.add(next);
    const start = (next + 1) * sectorBytes;
    for (let at = start; at < start + sectorBytes - 4; at += 4) sectors.push(view.getUint32(at, true));
    next = view.getUint32(start + sectorBytes - 4, true);
  }
  return sectors;
}
