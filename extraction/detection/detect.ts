/**
 * Detects the format of content: by its bytes, then its file name, its declared media type, and the form of its text.
 */
import { fileTypeFromBuffer } from 'file-type';
import { SourceError } from '../../contract/errors.ts';
import type { Content } from '../content.ts';
import type { BinaryFormat, Format, TextFormat, TextSample } from '../readers/formats/format.ts';
import { formats } from '../readers/formats/index.ts';
import { text as plainText } from '../readers/formats/text.ts';
import { compoundNames } from './containers/cfb.ts';
import { utf16ByZeros } from './encoding/decode.ts';
import { utf16ByCharacters } from './encoding/guess.ts';
import { utf32Of } from './encoding/utf32.ts';
import { textSample } from './text-sample.ts';

export type Detection =
  | { kind: 'binary'; format: BinaryFormat }
  | { kind: 'text'; format: TextFormat; sample: TextSample };

const textFormats = formats.filter((format) => format.kind === 'text');
const binaryFormats = formats.filter((format) => format.kind === 'binary');

/** Names of unsupported file types for error messages, by media type or file name. */
const namedKinds: [RegExp, string][] = [
  [/wordprocessingml|msword|opendocument\.text|\.docx?$|\.odt$/, 'a word processor document'],
  [/spreadsheetml|ms-excel|opendocument\.spreadsheet|\.xlsx?$|\.ods$/, 'a spreadsheet'],
  [/presentationml|ms-powerpoint|opendocument\.presentation|\.pptx?$|\.odp$/, 'a presentation'],
  [/outlook/, 'an Outlook message'],
  [/application\/x-cfb/, 'an old Office file'],
  [/^image\//, 'an image'],
  [/^audio\//, 'an audio file'],
  [/^video\//, 'a video'],
  [/^font\//, 'a font'],
  [/zip|x-tar|gzip|x-7z|x-rar|x-bzip2|x-xz|zstd|x-lzip|x-compress/, 'an archive'],
  [/x-msdownload|x-elf|x-mach-binary|x-executable|wasm/, 'a program'],
  [/sqlite/, 'a database'],
];

/** File types of Office before 2007, by media type or file name, and the extension of the format to save them in. */
const oldKinds: [RegExp, string, string][] = [
  [/^application\/msword$|\.(?:doc|dot)$/, 'a Word document of a version before 2007', '.docx'],
  [/^application\/(?:vnd\.)?ms-?powerpoint$|\.(?:ppt|pps)$/, 'a presentation of a version before 2007', '.pptx'],
];

/** Detects the format. @throws SourceError `unsupported_format` with the name of the file type, or `file_damaged` */
export async function detectFormat(content: Content): Promise<Detection> {
  if (!content.pasted) {
    const format = await binaryFormatOf(content);
    if (format !== null) return { kind: 'binary', format };
  }
  const sample = textSample(content);
  const detected = new Map<TextFormat, 'sure' | 'likely' | null>();
  const sure = textFormats.find((format) => {
    const certainty = format.detect?.(sample) ?? null;
    detected.set(format, certainty);
    return certainty === 'sure';
  });
  const declared = sure ?? declaredFormat(content);
  if (declared?.kind === 'binary') {
    throw mislabelled(declared);
  }
  const base = declared ?? textFormats.find((format) => detected.get(format) === 'likely') ?? plainText;
  return { kind: 'text', format: mostSpecific(base, sample), sample };
}

function mostSpecific(format: TextFormat, sample: TextSample): TextFormat {
  const subformat = format.subformats?.find(({ detect }) => (detect?.(sample) ?? null) !== null);
  return subformat === undefined ? format : mostSpecific(subformat, sample);
}

/** The binary format that the bytes are, or null for text. */
async function binaryFormatOf(content: Content): Promise<BinaryFormat | null> {
  const { bytes, filename } = content;
  const matching = binaryFormats.find((format) => format.matches?.(content));
  if (matching !== undefined) return matching;
  const textual = looksTextual(bytes);
  const magic = await magicOf(bytes);
  const known = binaryFormats.find((format) => magic !== null && format.magic.includes(magic));
  // Ordinary sentences can begin with two or three magic letters ("BM", "MZ", "GIF"): such content is text.
  if (known !== undefined && (!textual || magic === 'application/rtf')) return known;
  if (magic !== null && magic !== 'application/xml' && (!textual || magic === 'application/rtf')) {
    throw magic === 'application/x-cfb' ? unsupportedCompound(content) : unsupported(magic, filename);
  }
  if (textual) return null;
  const declared = declaredFormat(content);
  if (declared?.kind === 'binary') {
    throw mislabelled(declared);
  }
  throw unsupported(mediaTypeOf(content), filename);
}

function mislabelled({ label }: Format): SourceError {
  return new SourceError('file_damaged', `The file name or media type says ${label}, but the content is not.`);
}

/** The format by file name, else by media type, else, where the media type is generic, by the extension in the URL. */
function declaredFormat(content: Content): Format | undefined {
  const mediaType = mediaTypeOf(content);
  // Servers send Markdown and JSON files as text/plain, and uploads as octet-stream.
  const isVague = mediaType === '' || mediaType === 'text/plain' || /octet-stream|x-download/.test(mediaType);
  return (
    byExtension(content.filename) ??
    formats.find(({ mediaTypes }) => mediaTypes.includes(mediaType)) ??
    bySuffix(mediaType) ??
    (isVague ? byExtension(pathOf(content.url)) : undefined)
  );
}

function byExtension(name: string | null): Format | undefined {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name ?? '')?.[1]?.toLowerCase();
  return formats.find(({ extensions }) => extension !== undefined && extensions.includes(extension));
}

/** RFC 6839: "application/ld+json" is JSON. */
function bySuffix(mediaType: string): Format | undefined {
  const suffix = /\+(json|xml)$/.exec(mediaType)?.[1];
  return formats.find(({ name }) => name === suffix);
}

function mediaTypeOf({ contentType }: Content): string {
  return contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
}

async function magicOf(bytes: Uint8Array): Promise<string | null> {
  try {
    return (await fileTypeFromBuffer(bytes))?.mime ?? null;
  } catch {
    // file-type throws on files that end within their header.
    return null;
  }
}

/** True for text without control characters but white space and ESC (ISO-2022-JP), and for UTF-16 and UTF-32. */
function looksTextual(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  if (utf32Of(bytes) !== null || utf16ByZeros(bytes) !== null) return true;
  const sample = bytes.subarray(0, 64 * 1024);
  let controls = 0;
  for (const byte of sample) if (byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27) controls += 1;
  // A few stray control characters, such as a NUL in a log, do not make a file binary.
  return controls <= sample.length / 1000 || utf16ByCharacters(bytes) !== null;
}

function pathOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).pathname : null;
}

/** Media types of compound files, by a stream that only such documents have. */
const compoundKinds: [RegExp, string][] = [
  [/^WordDocument$/, 'application/msword'],
  [/^PowerPoint Document$/, 'application/vnd.ms-powerpoint'],
  [/^__properties_version/, 'application/vnd.ms-outlook'],
];

function unsupportedCompound({ bytes, filename }: Content): SourceError {
  const names = [...compoundNames(bytes)];
  // The directory is often at the end of the file, so an incomplete file has no names.
  if (names.length === 0) return new SourceError('file_damaged', 'The file is an incomplete old Office file.');
  const mediaType = compoundKinds.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1];
  return unsupported(mediaType ?? 'application/x-cfb', filename);
}

function unsupported(mediaType: string, filename: string | null): SourceError {
  const isCalled = ([pattern]: readonly [RegExp, ...string[]]) =>
    pattern.test(mediaType) || pattern.test(filename?.toLowerCase() ?? '');
  const old = oldKinds.find(isCalled);
  if (old !== undefined) {
    const [, kind, ending] = old;
    return new SourceError(
      'unsupported_format',
      `The content is ${kind}, which is not supported. Save it as ${ending} first.`,
    );
  }
  const kind = namedKinds.find(isCalled)?.[1];
  const named = /^[\w.+-]+\/[\w.+-]{1,100}$/.test(mediaType) ? ` (${mediaType})` : '';
  const what = kind === undefined ? `a binary file${named}` : `${kind}${named}`;
  return new SourceError('unsupported_format', `The content is ${what}, which is not supported.`);
}
