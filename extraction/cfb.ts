/**
 * Compound files (MS-CFB), the container of Office before 2007 and of encrypted Office documents: as much of them as
 * tells what they hold.
 */
const signature = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Sector numbers from here on are marks: end of chain, free, and the like. */
const FIRST_MARK = 0xfffffffa;

/**
 * Names of the streams and storages directly below the root, which tell the kind of document; empty for what is no
 * compound file or is damaged. What is embedded in the document stands deeper and does not count.
 */
export function compoundNames(bytes: Uint8Array): ReadonlySet<string> {
  const names = new Set<string>();
  if (bytes.length < HEADER_BYTES || signature.some((byte, at) => bytes[at] !== byte)) return names;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = directoryEntries(view);
  const pending = [entries[0] === undefined ? FIRST_MARK : view.getUint32(entries[0] + 76, true)];
  const seen = new Set<number>();
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const at = entries[id];
    if (at === undefined || seen.has(id)) continue;
    seen.add(id);
    names.add(nameAt(view, at));
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

/** Offsets of the directory's entries, in order of their ids. */
function directoryEntries(view: DataView): number[] {
  const sectorBytes = view.getUint16(30, true) === 12 ? 4096 : 512;
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes;
  const isWhole = (sector: number) => sector < FIRST_MARK && offsetOf(sector) + sectorBytes <= view.byteLength;
  const table = allocationSectors(view, sectorBytes, isWhole);
  const perSector = sectorBytes / 4;
  const entries: number[] = [];
  const seen = new Set<number>();
  for (let sector = view.getUint32(48, true); isWhole(sector) && !seen.has(sector); ) {
    seen.add(sector);
    for (let at = 0; at < sectorBytes; at += ENTRY_BYTES) entries.push(offsetOf(sector) + at);
    const tableSector = table[Math.floor(sector / perSector)];
    if (tableSector === undefined || !isWhole(tableSector)) break;
    sector = view.getUint32(offsetOf(tableSector) + (sector % perSector) * 4, true);
  }
  return entries;
}

/** The sectors that hold the allocation table: 109 are named in the header, more in a chain of sectors. */
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
