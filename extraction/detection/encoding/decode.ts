/** Bytes -> text, for content whose encoding is declared wrongly or not at all. */
import { guessEncoding, utf16ByCharacters } from './guess.ts';
import { fromUtf32, utf32Of } from './utf32.ts';

export interface Decoded {
  /** Without a byte order mark, with U+FFFD for U+0000 and "\n" as line break. */
  text: string;
  /** Label of the encoding, as in `TextDecoder`. */
  encoding: string;
  /** True where the encoding was inferred from the characters alone: no mark, no valid UTF-8, no declaration. */
  guessed: boolean;
}

/**
 * Decodes bytes. Checked in this order: UTF-32 or a byte order mark, the places of zero bytes (UTF-16 without a mark),
 * strict UTF-8, the declared charset, and at last the decoding with the most plausible characters. Strict UTF-8
 * precedes
 * the declaration because text in another encoding is hardly ever valid UTF-8, while a declaration is often only a
 * server's default.
 */
export function decodeText(bytes: Uint8Array, declared: string | null): Decoded {
  const { text, ...how } = decode(bytes, declared);
  return { text: normalise(text), ...how };
}

function decode(bytes: Uint8Array, declared: string | null): Decoded {
  const wide = utf32Of(bytes);
  if (wide !== null) return { text: fromUtf32(bytes, wide), encoding: wide, guessed: false };
  const evident = byteOrderMark(bytes) ?? utf16ByZeros(bytes) ?? (isIso2022Jp(bytes) ? 'iso-2022-jp' : null);
  if (evident !== null) return decoded(bytes, evident, false);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Japanese text in UTF-16 can be valid UTF-8; its punctuation then decodes to control characters.
    const utf16 = hasControls(text) ? utf16ByCharacters(bytes) : null;
    return utf16 === null ? { text, encoding: 'utf-8', guessed: false } : decoded(bytes, utf16, true);
  } catch {
    // Not UTF-8: continue below.
  }
  const label = declared === null ? null : labelOf(declared);
  if (label !== null) return decoded(bytes, label, false);
  const utf8 = mostlyUtf8(bytes);
  return utf8 === null ? decoded(bytes, guessEncoding(bytes), true) : { text: utf8, encoding: 'utf-8', guessed: true };
}

function decoded(bytes: Uint8Array, label: string, guessed: boolean): Decoded {
  const decoder = new TextDecoder(label);
  return { text: decoder.decode(bytes), encoding: decoder.encoding, guessed };
}

/** The label of a declared charset; null for an unknown one and for "utf-8", which was tried before. */
function labelOf(declared: string): string | null {
  if (/^utf-?8$/i.test(declared)) return null;
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return null;
  }
}

/** The text of UTF-8 with a few invalid bytes, as in logs and truncated files; null for another encoding. */
function mostlyUtf8(bytes: Uint8Array): string | null {
  const text = new TextDecoder('utf-8').decode(bytes);
  let whole = 0;
  let broken = 0;
  for (const character of text) {
    if (character === '\uFFFD') broken += 1;
    else if (character.charCodeAt(0) >= 0x80) whole += 1;
  }
  return whole >= 5 && broken * 10 <= whole ? text : null;
}

function hasControls(text: string): boolean {
  const sample = text.slice(0, 4096);
  let controls = 0;
  for (let at = 0; at < sample.length; at += 1) {
    const code = sample.charCodeAt(at);
    if (code < 32 && !(code >= 9 && code <= 13) && code !== 27) controls += 1;
  }
  return controls > sample.length / 100;
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

/** The charset that a page's first 1,024 bytes declare (HTML standard, prescan), or null. */
export function charsetOfHtml(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1');
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding=["']([\w-]+)/.exec(head)?.[1] ??
    null
  );
}

/** UTF-16 by its zero bytes: mostly Latin text has them on the same side of each byte pair. Null for other bytes. */
export function utf16ByZeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const length = Math.min(bytes.length, 4096) & ~1;
  if (length < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (bytes[at] === 0) even += 1;
    if (bytes[at + 1] === 0) odd += 1;
  }
  const pairs = length / 2;
  if (odd > pairs * 0.4 && even < pairs * 0.05) return 'utf-16le';
  if (even > pairs * 0.4 && odd < pairs * 0.05) return 'utf-16be';
  return null;
}

function isIso2022Jp(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64 * 1024)).toString('latin1');
  return head.includes('\u001b$B') || head.includes('\u001b$@');
}

function normalise(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\uFFFD')
    .toWellFormed();
}
