/** ZIP containers (Office documents, OpenDocument, EPUB), judged before they are inflated and bounded while they are. */
import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { SourceError } from '../../../contract/errors.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { parseXml, type XmlElement } from '../../readers/xml/parse.ts';
import { foldedPath, withoutAppendix } from './zip-directory.ts';

/** Below this size a bad ratio does no harm; XML seldom reaches 1 : 100, a bomb has 1 : 1,000. */
const RATIO_COUNTS_FROM_BYTES = 16 * 1024 * 1024;
const WORST_RATIO = 250;

export interface Container {
  /** Paths of all files, as they are written. */
  paths: readonly string[];
  /** The bytes of a file, whatever the case of its path, or null where there is none. @throws SourceError `file_damaged` */
  bytes(path: string): Promise<Uint8Array | null>;
  /** The root element of an XML file, or null where there is none of that path. @throws SourceError as `parseXml` */
  xml(path: string): Promise<XmlElement | null>;
}

/**
 * Opens a container. @throws SourceError `file_damaged` for what is none, `file_encrypted` where its files are, and
 * `extraction_limit` for too many files, too many bytes once inflated, or a ratio that only bombs have
 */
export async function openContainer(bytes: Uint8Array, limits: Limits): Promise<Container> {
  const whole = withoutAppendix(bytes);
  const zip = await fromBufferPromise(Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength), {
    // It checks as well that no file inflates to more than it declares.
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
      // Of two files of one path readers take the last.
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
    }
  } catch (error) {
    throw error instanceof SourceError ? error : damaged(error);
  }
  if (inflated > RATIO_COUNTS_FROM_BYTES && inflated > compressed * WORST_RATIO) {
    throw new SourceError(
      'extraction_limit',
      `The file inflates to ${Math.round(inflated / compressed)} times its size.`,
    );
  }
  return entries;
}

function damaged(cause: unknown): SourceError {
  return new SourceError('file_damaged', 'The file is damaged or incomplete and cannot be opened.', { cause });
}
