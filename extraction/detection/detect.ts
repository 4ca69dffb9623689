/** Which format content is: by what it holds, then by its name, then by its claimed media type, then by how it looks. */
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

/** What people call the kinds of file that cannot be read, in the words of an error message. */
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

/** Files of Office before 2007, by their type or name, and as what they can be read once they are saved anew. */
const oldKinds: [RegExp, string, string][] = [
  [/^application\/msword$|\.(?:doc|dot)$/, 'a Word document of a version before 2007', '.docx'],
  [/^application\/(?:vnd\.)?ms-?powerpoint$|\.(?:ppt|pps)$/, 'a presentation of a version before 2007', '.pptx'],
];

/** Detects the format. @throws SourceError `unsupported_format` with the name of what it was, or `file_damaged` */
export async function detectFormat(content: Content): Promise<Detection> {
  if (!content.pasted) {
    const format = await binaryFormatOf(content);
    if (format !== null) return { kind: 'binary', format };
  }
  const sample = textSample(content);
  const seen = new Map<TextFormat, 'sure' | 'likely' | null>();
  const sure = textFormats.find((format) => {
    const look = format.looks?.(sample) ?? null;
    seen.set(format, look);
    return look === 'sure';
  });
  const declared = sure ?? declaredFormat(content);
  if (declared?.kind === 'binary') {
    const message = `The file is called ${declared.label} but is none: it does not begin like one.`;
    throw new SourceError('file_damaged', message);
  }
  const base = declared ?? textFormats.find((format) => seen.get(format) === 'likely') ?? plainText;
  return { kind: 'text', format: mostSpecial(base, sample), sample };
}

function mostSpecial(format: TextFormat, sample: TextSample): TextFormat {
  const special = format.special?.find(({ looks }) => (looks?.(sample) ?? null) !== null);
  return special === undefined ? format : mostSpecial(special, sample);
}

/** The binary format that the bytes are, or null for text. */
async function binaryFormatOf(content: Content): Promise<BinaryFormat | null> {
  const { bytes, filename } = content;
  const matching = binaryFormats.find((format) => format.matches?.(content));
  if (matching !== undefined) return matching;
  const textual = looksTextual(bytes);
  const magic = await magicOf(bytes);
  const known = binaryFormats.find((format) => magic !== null && format.magic.includes(magic));
  // Two or three magic letters ("BM", "MZ", "GIF") also begin ordinary sentences; a text of them is a text.
  if (known !== undefined && (!textual || magic === 'application/rtf')) return known;
  if (magic !== null && magic !== 'application/xml' && (!textual || magic === 'application/rtf')) {
    throw magic === 'application/x-cfb' ? unsupportedCompound(content) : unsupported(magic, filename);
  }
  if (textual) return null;
  const declared = declaredFormat(content);
  if (declared?.kind === 'binary') {
    throw new SourceError('file_damaged', `The file is called ${declared.label} but does not begin like one.`);
  }
  throw unsupported(mediaTypeOf(content), filename);
}

/** What the name says, else the media type; of an address, whose ending may mean nothing, only where the type is vague. */
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
    // The detector throws on files that end within their own header.
    return null;
  }
}

/** No control characters but white space (and ESC, of ISO-2022-JP), or UTF-16 or UTF-32. */
function looksTextual(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  if (utf32Of(bytes) !== null || utf16ByZeros(bytes) !== null) return true;
  const sample = bytes.subarray(0, 64 * 1024);
  let controls = 0;
  for (const byte of sample) if (byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27) controls += 1;
  // A stray form control or a NUL in a log does not make it a binary file.
  return controls <= sample.length / 1000 || utf16ByCharacters(bytes) !== null;
}

function pathOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).pathname : null;
}

/** What compound files hold, by a stream that only such documents have. */
const compoundKinds: [RegExp, string][] = [
  [/^WordDocument$/, 'application/msword'],
  [/^PowerPoint Document$/, 'application/vnd.ms-powerpoint'],
  [/^__properties_version/, 'application/vnd.ms-outlook'],
];

function unsupportedCompound({ bytes, filename }: Content): SourceError {
  const names = [...compoundNames(bytes)];
  // The list of what it holds often stands at the end of the file.
  if (names.length === 0) return new SourceError('file_damaged', 'The file is an old Office file that is incomplete.');
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
      `The content is ${kind}, which cannot be read; saved as ${ending} it can.`,
    );
  }
  const kind = namedKinds.find(isCalled)?.[1];
  const named = /^[\w.+-]+\/[\w.+-]{1,100}$/.test(mediaType) ? ` (${mediaType})` : '';
  const what = kind === undefined ? `a binary file${named}` : `${kind}${named}`;
  return new SourceError('unsupported_format', `The content is ${what}, which cannot be read.`);
}
