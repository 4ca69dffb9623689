/** ZIP containers (Office documents, OpenDocument, EPUB), checked against limits before and while they are inflated. */
import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { SourceError } from '../../../contract/errors.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { parseXml, type XmlElement } from '../../readers/xml/parse.ts';
import { foldedPath, withoutAppendix } from './zip-directory.ts';

/** The compression ratio is checked above this inflated size. XML seldom reaches 1 : 100, a ZIP bomb has 1 : 1,000. */
const RATIO_CHECK_MIN_BYTES = 16 * 1024 * 1024;
const MAX_RATIO = 250;

export interface Container {
  /** Paths of all files, as in the container. */
  paths: readonly string[];
  /** The bytes of a file, or null if missing; the case of the path is ignored. @throws SourceError `file_damaged` */
  bytes(path: string): Promise<Uint8Array | null>;
  /** The root element of an XML file, or null if missing. @throws SourceError as `parseXml` */
  xml(path: string): Promise<XmlElement | null>;
}

/**
 * Opens a container.
 * @throws SourceError `file_damaged` for bytes that are not a ZIP, `file_encrypted` for encrypted files, and
 * `extraction_limit` for too many files, too many inflated bytes, or the compression ratio of a ZIP bomb
 */
export async function openContainer(bytes: Uint8Array, limits: Limits): Promise<Container> {
  const whole = withoutAppendix(bytes);
  const zip = await fromBufferPromise(Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength), {
    // Also fails where a file inflates to more bytes than it declares.
    validateEntrySizes: true,
    lazyEntries: true,
    strictFileNames: false,
  }).catch((error: unknown) => {
    throw damaged(error);
  });
  const entries = await listEntries(zip, limits);
  const byFoldedPath = new Map([...entries].map(([path, entry]) => [foldedPath(path), entry]));
  async function read(path: string): Promise<Uint8Array | null> {
    const entry = entries.get(path) ?? byFoldedPath.get(foldedPath(posix.normalize(path)));
    if (entry === undefined) return null;
    try {
      return await buffer(await zip.openReadStreamPromise(entry));
    } catch (error) {
      throw damaged(error);
    }
  }
  return {
    paths: [...entries.keys()],
    bytes: read,
    async xml(path) {
      const part = await read(path);
      return part === null ? null : parseXml(part, limits);
    },
  };
}

async function listEntries(zip: ZipFile, limits: Limits): Promise<Map<string, Entry>> {
  assertWithin(limits, 'entries', zip.entryCount);
  const entries = new Map<string, Entry>();
  let inflated = 0;
  let compressed = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted()) throw new SourceError('file_encrypted', 'The file is protected with a password.');
      inflated += entry.uncompressedSize;
      compressed += entry.compressedSize;
      assertWithin(limits, 'inflatedBytes', inflated);
      // Of two files with the same path the last one counts, as in other readers.
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
    }
  } catch (error) {
    throw error instanceof SourceError ? error : damaged(error);
  }
  if (inflated > RATIO_CHECK_MIN_BYTES && inflated > compressed * MAX_RATIO) {
    throw new SourceError(
      'extraction_limit',
      `The file decompresses to ${Math.round(inflated / compressed)} times its size; the limit is ${MAX_RATIO}.`,
    );
  }
  return entries;
}

function damaged(cause: unknown): SourceError {
  return new SourceError('file_damaged', 'The file is damaged or incomplete and cannot be opened.', { cause });
}
