/** The body of a part: its bytes without the transfer encoding, and its text. */
import { charsetOfHtml, type Decoded, decodeText } from '../../detection/encoding/decode.ts';
import { headerOf, type MimePart } from './mime.ts';

/** The bytes of a part of `mail` (a byte a character), of base64 and quoted-printable what is well written. */
export function bytesOf(part: MimePart, mail: string): Uint8Array {
  const body = mail.slice(part.start, part.end);
  const encoding = headerOf(part, 'content-transfer-encoding')?.toLowerCase() ?? '';
  if (encoding.includes('base64')) return Buffer.from(body.replace(/[^A-Za-z0-9+/]/g, ''), 'base64');
  return Buffer.from(encoding.includes('quoted-printable') ? fromQuotedPrintable(body) : body, 'latin1');
}

/** RFC 2045 6.7; an equals sign that begins no byte stands for itself. */
function fromQuotedPrintable(body: string): string {
  return body
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/=(?:\n|$)/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The text of a part. Many a program declares what it did not write, so that UTF-8 goes before what is declared. */
export function textOf(part: MimePart, mail: string): Decoded {
  const { parameters } = part.type;
  const declared = parameters.get('charset')?.trim() ?? null;
  // What says ASCII and is not says nothing.
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

/** RFC 3676: a line that ends with a space goes on in the next one, unless that is quoted deeper or a signature. */
function unflowed(text: string, deletesSpace: boolean): string {
  const lines: string[] = [];
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const quotes = /^>*/.exec(line)?.[0] ?? '';
    const said = line.slice(quotes.length).replace(/^ /, '');
    const isSignature = said === '-- ';
    const isOpen = said.endsWith(' ') && !isSignature;
    const piece = isOpen && deletesSpace ? said.slice(0, -1) : said;
    if (open === quotes && !isSignature) lines.push((lines.pop() ?? '') + piece);
    else lines.push(quotes === '' ? piece : `${quotes} ${piece}`);
    open = isOpen ? quotes : null;
  }
  return lines.join('\n');
}
