/** Bytes -> text, for content whose encoding is declared wrongly, or not at all. */
import { detect } from 'chardet';

/** Enough for the statistics of an encoding; beyond it chardet only takes longer. */
const sampleLength = 256 * 1024;

/**
 * The text of these bytes: byte order mark, then strict UTF-8, then the declared charset, then where the zero bytes
 * lie (UTF-16 without a mark), then statistics. Strict UTF-8 goes before the declaration because other encodings
 * hardly ever pass it by chance, while declarations are often a server's default. The mark is not part of the text;
 * U+0000 becomes U+FFFD; line ends become "\n".
 */
export function decodeText(bytes: Uint8Array, declared: string | null): string {
  return normalise(decode(bytes, declared));
}

function decode(bytes: Uint8Array, declared: string | null): string {
  const marked = byteOrderMark(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  const utf16 = utf16ByZeros(bytes);
  if (utf16 !== null) return new TextDecoder(utf16).decode(bytes);
  // ISO-2022-JP is seven bits, so it passes as UTF-8; only its escape sequences tell.
  const sevenBit = isIso2022Jp(bytes) ? 'iso-2022-jp' : null;
  if (sevenBit === null) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      // Not UTF-8: the declaration and the statistics decide below.
    }
  }
  for (const label of [sevenBit, declared, detect(bytes.subarray(0, sampleLength))]) {
    const decoder = label === null ? null : decoderFor(label);
    if (decoder !== null) return decoder.decode(bytes);
  }
  return new TextDecoder('windows-1252').decode(bytes);
}

function decoderFor(label: string) {
  // A declared "utf-8" was disproved above: take it for what editors wrote before.
  if (/^utf-?8$/i.test(label)) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
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

/** UTF-16 of mostly Latin text has its zero bytes on one side of each pair alone. */
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
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, sampleLength)).toString('latin1');
  return head.includes('\u001b$B') || head.includes('\u001b$@');
}

function normalise(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\uFFFD')
    .toWellFormed();
}
