/** Which format content is: by its magic bytes, its declared media type, its file name, and then by how it looks. */
import { fileTypeFromBuffer } from 'file-type';
import { SourceError } from '../contract/errors.ts';
import type { Content } from './content.ts';
import { utf16ByZeros } from './decode.ts';

/** `plain` is text of which only a look at it tells whether it is Markdown, a conversation, JSON, HTML or neither. */
export type DetectedFormat = 'pdf' | 'html' | 'markdown' | 'json' | 'xml' | 'plain';

export type Detection = {
  format: DetectedFormat;
  /** The charset parameter of the declared media type. */
  charset: string | null;
  /** True when the media type or the file name says so, not only the content. */
  declared: boolean;
};

const byMediaType: [RegExp, DetectedFormat][] = [
  [/^application\/pdf$/, 'pdf'],
  [/^(?:text\/html|application\/xhtml\+xml)$/, 'html'],
  [/^text\/(?:x-)?markdown$/, 'markdown'],
  [/^(?:application|text)\/(?:x-)?(?:json|ndjson|jsonl|json-lines)$|\+json$/, 'json'],
];

const byExtension: Record<string, DetectedFormat> = {
  pdf: 'pdf',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  mdx: 'markdown',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
};

/** What people call the kinds of file that cannot be read, in the words of an error message. */
const namedKinds: [RegExp, string][] = [
  [/wordprocessingml|msword|opendocument\.text|\.docx?$|\.odt$/, 'a word processor document'],
  [/spreadsheetml|ms-excel|opendocument\.spreadsheet|\.xlsx?$|\.ods$/, 'a spreadsheet'],
  [/presentationml|ms-powerpoint|opendocument\.presentation|\.pptx?$|\.odp$/, 'a presentation'],
  [/application\/x-cfb/, 'an old Office file'],
  [/application\/rtf|text\/rtf/, 'an RTF document'],
  [/epub/, 'an EPUB book'],
  [/^image\//, 'an image'],
  [/^audio\//, 'an audio file'],
  [/^video\//, 'a video'],
  [/^font\//, 'a font'],
  [/zip|x-tar|gzip|x-7z|x-rar|x-bzip2|x-xz|zstd|x-lzip|x-compress/, 'an archive'],
  [/x-msdownload|x-elf|x-mach-binary|x-executable|wasm/, 'a program'],
  [/sqlite/, 'a database'],
];

/** Detects the format. Throws SourceError `unsupported_format` with the name of what it was, or `file_damaged`. */
export async function detectFormat({ bytes, contentType, filename, url, pasted = false }: Content): Promise<Detection> {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1] ?? null;
  const extension = extensionOf(filename) ?? extensionOf(pathOf(url));
  const fromMediaType = byMediaType.find(([pattern]) => pattern.test(mediaType))?.[1];
  // Servers send Markdown and JSON files as text/plain, and uploads as octet-stream: there the name knows better.
  const vague = mediaType === '' || mediaType === 'text/plain' || /octet-stream|x-download/.test(mediaType);
  const fromName =
    vague && extension !== null && Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
  const declared = fromMediaType ?? fromName;

  if (!pasted && isPdf(bytes, declared === 'pdf')) return { format: 'pdf', charset, declared: true };
  if (declared === 'pdf') {
    throw new SourceError('file_damaged', 'The file is called a PDF but does not begin like one (%PDF is missing).');
  }
  const textual = pasted || looksTextual(bytes);
  const magic = await magicOf(bytes);
  // Two or three magic letters ("BM", "MZ", "GIF") also begin ordinary sentences; a text of them is a text.
  if (magic !== null && magic !== 'application/xml' && (!textual || magic === 'application/rtf')) {
    throw unsupported(magic, filename);
  }
  if (magic === null && !textual) throw unsupported(mediaType, filename);
  if (declared !== undefined) return { format: declared, charset, declared: true };
  if (/^image\/svg/.test(mediaType)) throw unsupported(mediaType, filename);
  if (magic === 'application/xml') return { format: looksXhtml(bytes) ? 'html' : 'xml', charset, declared: false };
  return { format: 'plain', charset, declared: false };
}

function isPdf(bytes: Uint8Array, declared: boolean): boolean {
  // Readers accept the mark within the first 1,024 bytes (ISO 32000-1, implementation note 13).
  const head = latin1(bytes, 0, 1024);
  if (!/%PDF-\d/.test(head)) return false;
  return declared || (head.startsWith('%PDF-') && /\bobj\b|\bxref\b|%%EOF/.test(latin1(bytes, 0, bytes.length)));
}

async function magicOf(bytes: Uint8Array): Promise<string | null> {
  try {
    return (await fileTypeFromBuffer(bytes))?.mime ?? null;
  } catch {
    // The detector throws on files that end within their own header.
    return null;
  }
}

/** No control characters but white space (and ESC, of ISO-2022-JP), or UTF-16. */
function looksTextual(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  if (utf16ByZeros(bytes) !== null) return true;
  const sample = bytes.subarray(0, 64 * 1024);
  let controls = 0;
  for (const byte of sample) if (byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27) controls += 1;
  // A stray form control or a NUL in a log does not make it a binary file.
  return controls <= sample.length / 1000;
}

function looksXhtml(bytes: Uint8Array): boolean {
  return /<(?:!doctype\s+html|html[\s>])/i.test(latin1(bytes, 0, 2048));
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', start, end);
}

function extensionOf(name: string | null): string | null {
  return /\.([a-z0-9]{1,10})$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? null;
}

function pathOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).pathname : null;
}

function unsupported(mediaType: string, filename: string | null): SourceError {
  const kind = namedKinds.find(
    ([pattern]) => pattern.test(mediaType) || pattern.test(filename?.toLowerCase() ?? ''),
  )?.[1];
  const named = /^[\w.+-]+\/[\w.+-]{1,100}$/.test(mediaType) ? ` (${mediaType})` : '';
  const what = kind === undefined ? `a binary file${named}` : `${kind}${named}`;
  return new SourceError('unsupported_format', `The content is ${what}, which cannot be read.`);
}
