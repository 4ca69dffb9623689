/**
 * Streaming writer of a ZIP file with a list of its files. Central directory and list are kept in temporary files until
 * the end: libraries keep them in memory, and 100,000 sources have half a million entries.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw, deflateRawSync } from 'node:zlib';
import {
  centralHeader,
  dataDescriptor,
  endOfDirectory,
  localHeader,
  requireSize,
  type ZipEntry,
} from './zip-format.ts';

const deflateInThread = promisify(deflateRaw);
/** Bytes up to which a body is compressed synchronously: a task for a thread costs more than the compression. */
const MAX_SYNC_BYTES = 64 * 1024;
/** Bytes that are collected for one write. */
const WRITE_BYTES = 64 * 1024;

/** Appends to a file in few writes. Without a final `flush` the last bytes are lost. */
function bufferedWriter(file: FileHandle) {
  let waiting: Uint8Array[] = [];
  let size = 0;
  async function flush(): Promise<void> {
    const bytes = Buffer.concat(waiting, size);
    [waiting, size] = [[], 0];
    await file.writeFile(bytes);
  }
  return {
    async append(bytes: Uint8Array): Promise<void> {
      waiting.push(bytes);
      size += bytes.byteLength;
      if (size >= WRITE_BYTES) await flush();
    },
    flush,
  };
}

export interface ZipWriter {
  /** Adds a file from memory. */
  add(path: string, body: Uint8Array | string, options: { modifiedAt: Date; compress?: boolean }): Promise<void>;
  /** Adds a file from a stream of text. */
  addText(path: string, body: AsyncIterable<string>, options: { modifiedAt: Date }): Promise<void>;
  /** Adds a JSON file with `facts` and the list of all files (`{path, bytes, sha256}`), and completes the ZIP. */
  finish(path: string, facts: Record<string, unknown>): Promise<void>;
  /** Removes the unfinished ZIP; not needed after `finish`. */
  discard(): Promise<void>;
}

/** Creates a ZIP at `target`, which is empty until `finish`. @throws EEXIST if the file exists. */
export async function createZip(target: string): Promise<ZipWriter> {
  const names = { zip: `${target}.unfinished`, directory: `${target}.directory`, list: `${target}.list` };
  // Reserves the name; fails if it is taken.
  await (await open(target, 'wx', 0o600)).close();
  const files: { zip: FileHandle; directory: FileHandle; list: FileHandle } = {
    zip: await open(names.zip, 'w', 0o600),
    directory: await open(names.directory, 'w+', 0o600),
    list: await open(names.list, 'w+', 0o600),
  };
  const writers = {
    zip: bufferedWriter(files.zip),
    directory: bufferedWriter(files.directory),
    list: bufferedWriter(files.list),
  };
  let [offset, entries, directorySize] = [0, 0, 0];

  async function write(bytes: Uint8Array): Promise<void> {
    await writers.zip.append(bytes);
    offset += bytes.byteLength;
  }

  async function addToDirectory(entry: ZipEntry, sha256: string): Promise<void> {
    const header = centralHeader(entry);
    await writers.directory.append(header);
    await writers.list.append(Buffer.from(`${JSON.stringify({ path: entry.path, bytes: entry.size, sha256 })}\n`));
    directorySize += header.byteLength;
    entries += 1;
  }

  async function add(path: string, given: Uint8Array | string, modifiedAt: Date, compress: boolean): Promise<void> {
    const body = typeof given === 'string' ? Buffer.from(given) : given;
    const deflate = body.byteLength <= MAX_SYNC_BYTES ? deflateRawSync : deflateInThread;
    const smaller = compress ? await deflate(body) : body;
    const compressed = smaller.byteLength < body.byteLength;
    const data = compressed ? smaller : body;
    const sizes = { size: body.byteLength, compressedSize: data.byteLength };
    const entry = { path, modifiedAt, compressed, streamed: false, crc32: crc32(body), ...sizes, offset };
    requireSize(entry);
    await write(localHeader(entry));
    await write(data);
    await addToDirectory(entry, createHash('sha256').update(body).digest('hex'));
  }

  async function addText(path: string, body: AsyncIterable<string>, modifiedAt: Date): Promise<void> {
    const unknown = { crc32: 0, size: 0, compressedSize: 0 };
    const entry: ZipEntry = { path, modifiedAt, compressed: true, streamed: true, ...unknown, offset };
    await write(localHeader(entry));
    const hash = createHash('sha256');
    async function* counted() {
      for await (const text of body) {
        const chunk = Buffer.from(text);
        hash.update(chunk);
        entry.crc32 = crc32(chunk, entry.crc32);
        entry.size += chunk.byteLength;
        yield chunk;
      }
    }
    const compressed = Readable.from(counted(), { objectMode: false }).compose(createDeflateRaw());
    for await (const chunk of compressed) {
      entry.compressedSize += chunk.byteLength;
      await write(chunk);
    }
    requireSize(entry);
    await write(dataDescriptor(entry));
    await addToDirectory(entry, hash.digest('hex'));
  }

  async function* manifest(facts: Record<string, unknown>): AsyncGenerator<string> {
    yield `${JSON.stringify(facts, null, 2).slice(0, -2)},\n  "files": [`;
    let separator = '\n    ';
    await writers.list.flush();
    for await (const line of files.list.readLines({ start: 0, autoClose: false })) {
      yield `${separator}${line}`;
      separator = ',\n    ';
    }
    yield '\n  ]\n}\n';
  }

  async function writeDirectory(): Promise<void> {
    const directory = { entries, offset, size: directorySize };
    await writers.directory.flush();
    for await (const chunk of files.directory.createReadStream({ start: 0, autoClose: false })) await write(chunk);
    await write(endOfDirectory(directory));
    await writers.zip.flush();
    await files.zip.sync();
  }

  async function close(): Promise<void> {
    for (const file of Object.values(files)) await file.close();
    await Promise.all([names.directory, names.list].map((name) => rm(name, { force: true })));
  }

  return {
    add: (path, body, { modifiedAt, compress = true }) => add(path, body, modifiedAt, compress),
    addText: (path, body, { modifiedAt }) => addText(path, body, modifiedAt),
    async finish(path, facts) {
      await addText(path, manifest(facts), new Date());
      await writeDirectory();
      await close();
      await rename(names.zip, target);
    },
    async discard() {
      await close();
      await Promise.all([names.zip, target].map((name) => rm(name, { force: true })));
    },
  };
}
