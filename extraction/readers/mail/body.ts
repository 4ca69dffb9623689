/** The body of a part: its bytes without the transfer encoding, and its text. */
import { charsetOfHtml, type Decoded, decodeText } from '../../detection/encoding/decode.ts';
import { headerOf, type MimePart } from './mime.ts';

/** The decoded bytes of a part of `mail` (one byte per character). Characters that are not base64 are skipped. */
export function bytesOf(part: MimePart, mail: string): Uint8Array {
  const body = mail.slice(part.start, part.end);
  const encoding = headerOf(part, 'content-transfer-encoding')?.toLowerCase() ?? '';
  if (encoding.includes('base64')) return Buffer.from(body.replace(/[^A-Za-z0-9+/]/g, ''), 'base64');
  return Buffer.from(encoding.includes('quoted-printable') ? fromQuotedPrintable(body) : body, 'latin1');
}

/** Decodes quoted-printable (RFC 2045 6.7); an equals sign without two hexadecimal digits is kept. */
function fromQuotedPrintable(body: string): string {
  return body
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/=(?:\n|$)/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The text of a part. Declared charsets are often wrong, so valid UTF-8 has precedence. */
export function textOf(part: MimePart, mail: string): Decoded {
  const { parameters } = part.type;
  const declared = parameters.get('charset')?.trim() ?? null;
  // "us-ascii" for text that is not ASCII is no information.
  const charset = declared === null || /^(?:us-)?ascii$|^unknown/i.test(declared) ? null : declared;
  const bytes = bytesOf(part, mail);
  const decoded = decodeText(bytes, charset ?? (part.type.value === 'text/html' ? charsetOfHtml(bytes) : null));
  const text = /^(?:unicode-1-1-)?utf-7$/i.test(charset ?? '') ? fromUtf7(decoded.text) : decoded.text;
  const isFlowed = parameters.get('format')?.toLowerCase() === 'flowed';
  return { ...decoded, text: isFlowed ? unflowed(text, parameters.get('delsp')?.toLowerCase() === 'yes') : text };
}

/** UTF-7 (RFC 2152): runs of base64 between "+" and "-" are UTF-16. */
function fromUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (_, run: string) => {
    const bytes = Buffer.from(run, 'base64');
    return run === '' ? '+' : new TextDecoder('utf-16be').decode(bytes.subarray(0, bytes.length & ~1));
  });
}

/** RFC 3676: a line that ends with a space continues in the next one, unless its quote depth differs or it is "-- ". */
function unflowed(text: string, deletesSpace: boolean): string {
  const lines: string[] = [];
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const quotes = /^>*/.exec(line)?.[0] ?? '';
    const content = line.slice(quotes.length).replace(/^ /, '');
    const isSignature = content === '-- ';
    const isOpen = content.endsWith(' ') && !isSignature;
    const piece = isOpen && deletesSpace ? content.slice(0, -1) : content;
    if (open === quotes && !isSignature) lines.push((lines.pop() ?? '') + piece);
    else lines.push(quotes === '' ? piece : `${quotes} ${piece}`);
    open = isOpen ? quotes : null;
  }
  return lines.join('\n');
}
