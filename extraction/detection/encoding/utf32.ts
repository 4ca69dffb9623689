/** UTF-32 (four bytes a character), which TextDecoder does not support. */

export type Utf32 = 'utf-32le' | 'utf-32be';

const SAMPLE_LENGTH = 1024;

/**
 * The byte order of UTF-32, or null. Its first 1,024 bytes are valid characters with a byte order mark or some ASCII.
 */
export function utf32Of(bytes: Uint8Array): Utf32 | null {
  const length = Math.min(bytes.length, SAMPLE_LENGTH) & ~3;
  if (length < 8 || bytes.length % 4 !== 0) return null;
  for (const order of ['utf-32le', 'utf-32be'] as const) {
    const codes = codesOf(bytes.subarray(0, length), order);
    const ascii = codes.filter((code) => code < 0x80).length;
    if ((codes[0] === 0xfeff || ascii * 20 > codes.length) && codes.every(isOfText)) return order;
  }
  return null;
}

/** The text, with U+FFFD for invalid characters. */
export function fromUtf32(bytes: Uint8Array, order: Utf32): string {
  const pieces: string[] = [];
  for (const code of codesOf(bytes, order)) pieces.push(isCharacter(code) ? String.fromCodePoint(code) : '\uFFFD');
  return pieces.join('');
}

function codesOf(bytes: Uint8Array, order: Utf32): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  const codes: number[] = [];
  for (let at = 0; at < view.byteLength; at += 4) codes.push(view.getUint32(at, order === 'utf-32le'));
  return codes;
}

function isOfText(code: number): boolean {
  return isCharacter(code) && (code >= 32 || (code >= 9 && code <= 13));
}

function isCharacter(code: number): boolean {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}
