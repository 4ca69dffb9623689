/** The kind of document in a ZIP container, by its declared type; embedded documents do not count. */
import { listedFile, listedText } from './zip-directory.ts';

export type ContainerKind = 'docx' | 'pptx' | 'xlsx' | 'odt' | 'odp' | 'ods' | 'epub';

/** Content types of main parts (ECMA-376 part 1, 11.3, 12.3 and 13.3; Microsoft defines those with macros and XLSB). */
const mainParts: readonly [RegExp, ContainerKind][] = [
  [/vnd\.(?:openxmlformats-officedocument\.wordprocessingml|ms-word)\.[\w.]+\.main\+xml/i, 'docx'],
  [/vnd\.(?:openxmlformats-officedocument\.presentationml|ms-powerpoint)\.[\w.]+\.main\+xml/i, 'pptx'],
  [/vnd\.(?:openxmlformats-officedocument\.spreadsheetml|ms-excel)\.[\w.]+\.main\b/i, 'xlsx'],
];

/** Contents of the file `mimetype` (ISO 26300 part 3, 3.3; EPUB OCF 4.3). */
const mediaTypes: readonly [RegExp, ContainerKind][] = [
  [/^application\/vnd\.oasis\.opendocument\.text(?:-template)?$/, 'odt'],
  [/^application\/vnd\.oasis\.opendocument\.presentation(?:-template)?$/, 'odp'],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet(?:-template)?$/, 'ods'],
  [/^application\/epub\+zip$/, 'epub'],
];

/** Files that only one kind has, for containers without a declared type. */
const usualPaths: readonly [string, ContainerKind][] = [
  ['word/document.xml', 'docx'],
  ['ppt/presentation.xml', 'pptx'],
  ['xl/workbook.xml', 'xlsx'],
  ['xl/workbook.bin', 'xlsx'],
  ['META-INF/container.xml', 'epub'],
];

/** Limit of [Content_Types].xml; a presentation of 5,000 slides needs 1 MB. */
const maxTypeBytes = 4 * 1024 * 1024;

/** The kind with this media type of OpenDocument or EPUB, or null. */
export function kindOfMediaType(mediaType: string): ContainerKind | null {
  return mediaTypes.find(([pattern]) => pattern.test(mediaType))?.[1] ?? null;
}

/** The kind, or null for another archive and for bytes that are not a ZIP. */
export function containerKind(bytes: Uint8Array): ContainerKind | null {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return null;
  const mediaType = listedText(bytes, 'mimetype', 256)?.trim() ?? '';
  const contentTypes = listedText(bytes, '[Content_Types].xml', maxTypeBytes) ?? '';
  return (
    kindOfMediaType(mediaType) ??
    mainParts.find(([pattern]) => pattern.test(contentTypes))?.[1] ??
    usualPaths.find(([path]) => listedFile(bytes, path) !== null)?.[1] ??
    null
  );
}
