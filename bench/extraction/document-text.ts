/**
 * Text that a document itself contains, found without any reader: its bytes as text, inflated and without markup and
 * escapes. It tells which expected strings come from our rendering alone: labels, reformatted dates.
 */
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import type { Sample } from '../../test/support/samples.ts';
import { collapseSpace, decodeEntities, plainCharacters, plainOf } from './plain.ts';

/** Formats whose text is compressed in a way that only a reader knows: all of their strings count. */
const opaque: ReadonlySet<string> = new Set(['pdf']);

/** Encodings of the samples that are not Unicode. */
const charsets = ['windows-1252', 'windows-1251', 'koi8-r', 'shift_jis', 'euc-jp', 'gb18030'];

/** Returns the sample with only those expected strings and tables that its document contains. */
export async function withContainedStrings(sample: Sample): Promise<Sample> {
  if (opaque.has(sample.format)) return sample;
  const all = (await decoded(sample.bytes)).flatMap(readings).map(plain);
  const contains = (string: string) =>
    [plain(string), plain(plainOf(string))].some((one) => all.some((text) => text.includes(one)));
  const { strings, tables, ...expected } = sample.expected;
  return {
    ...sample,
    expected: {
      ...expected,
      strings: strings.filter(contains),
      tables: tables.filter(({ header }) => header.every((cell) => cell === '' || contains(cell))),
    },
  };
}

/** The bytes as text; of a ZIP those of its text files. */
async function decoded(bytes: Uint8Array): Promise<string[]> {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isZip ? (await inflated(bytes)).flatMap(texts) : texts(bytes);
}

function texts(bytes: Uint8Array): string[] {
  try {
    return [new TextDecoder('utf-8', { fatal: true }).decode(bytes)];
  } catch {
    // UTF-16 within a binary file may begin at an odd byte.
    return [bytes, bytes.subarray(1)].flatMap((part) =>
      [...charsets, 'utf-16le', 'utf-16be'].map((name) => new TextDecoder(name).decode(part)),
    );
  }
}

async function inflated(bytes: Uint8Array): Promise<Uint8Array[]> {
  const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true });
  const files: Uint8Array[] = [];
  for await (const entry of zip.eachEntry()) {
    if (!/\.(?:xml|rels|x?html?|opf|ncx|txt|md|json)$/i.test(entry.fileName)) continue;
    files.push(await buffer(await zip.openReadStreamPromise(entry)));
  }
  return files;
}

/** The text as it is, and without the markup and escapes of its format. */
function readings(text: string): string[] {
  const unescaped = text
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\(["/\\])/g, '$1');
  return [
    text,
    unescaped,
    text.replace(/<!\[CDATA\[|\]\]>/g, ' ').replace(/<[^>]*>/g, ''),
    text.replace(/<!\[CDATA\[|\]\]>/g, ' ').replace(/<[^>]*>/g, ' '),
    ...charsets.map((charset) => withoutRtf(text, charset)),
    ...mailBodies(text),
  ];
}

/** RTF without control words: `\'e9` is a byte, `\u8364?` a character. */
function withoutRtf(text: string, charset: string): string {
  if (!text.startsWith('{\\rtf')) return '';
  return text
    .replace(/(?:\\'[0-9a-f]{2})+/gi, (bytes) =>
      new TextDecoder(charset).decode(Buffer.from(bytes.replaceAll("\\'", ''), 'hex')),
    )
    .replace(/\\u(-?\d+) ?(?:\?|\\'..)?/g, (_, code: string) => String.fromCharCode(Number(code) & 0xffff))
    .replace(/\\(?:par|line|tab|cell|row)\b ?/g, ' ')
    .replace(/\\[a-z]+-?\d* ?|[{}]|\r?\n/gi, '');
}

/** Bodies in quoted-printable and base64, and encoded words of headers. */
function mailBodies(text: string): string[] {
  if (!/^[\w-]+:/.test(text) || !/\bMIME-Version:/i.test(text)) return [];
  const bytesOf = (quoted: string) =>
    Buffer.from(
      quoted
        .replace(/=\r?\n/g, '')
        .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    );
  const quoted = bytesOf(text);
  const encoded = [...text.matchAll(/(?:^[A-Za-z0-9+/=]{20,}\r?\n?)+/gm)].map(([base64]) =>
    Buffer.from(base64, 'base64'),
  );
  const words = text.replace(/=\?([\w-]+)\?([BQ])\?([^?]*)\?=\s*/gi, (_, charset: string, kind: string, word: string) =>
    new TextDecoder(charset).decode(
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64') : bytesOf(word.replaceAll('_', ' ')),
    ),
  );
  const bodies = [quoted, ...encoded].flatMap((bytes) =>
    ['utf-8', 'windows-1252'].map((encoding) => new TextDecoder(encoding).decode(bytes)),
  );
  return [words, ...bodies, ...bodies.map((body) => body.replace(/<[^>]*>/g, ' '))];
}

function plain(text: string): string {
  return collapseSpace(plainCharacters(decodeEntities(text)));
}
