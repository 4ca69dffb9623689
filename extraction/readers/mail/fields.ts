/** Structured header fields: a value with parameters (RFC 2045 5.1; continued and encoded ones, RFC 2231). */
import { decodeWords } from 'postal-mime';

export interface Field {
  /** In lower case, without comments. */
  value: string;
  /** Decoded, by name in lower case; the first of several with one name counts. */
  parameters: ReadonlyMap<string, string>;
}

/** Only this many characters of a field are read; longer fields are attacks. */
const maxLength = 64 * 1024;
const parameter = /;[ \t]*([^\s=;]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g;

/** Parses a field such as `text/plain; charset=utf-8`; invalid parameters are left out. */
export function fieldValue(field: string): Field {
  const text = field.slice(0, maxLength);
  const [value = ''] = text.split(';', 1);
  const pieces = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of text.slice(value.length).matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!pieces.has(key)) pieces.set(key, quoted === undefined ? token.trim() : quoted.replace(/\\(["\\])/g, '$1'));
  }
  const parameters = new Map<string, string>();
  for (const key of pieces.keys()) {
    const name = key.replace(/\*.*$/, '');
    if (!parameters.has(name)) parameters.set(name, assembled(name, pieces));
  }
  return {
    value: value
      .replace(/\([^()]*\)/g, '')
      .trim()
      .toLowerCase(),
    parameters,
  };
}

/** RFC 2231: `name*` is encoded; `name*0` and `name*1*` are sections, encoded where a star follows. */
function assembled(name: string, pieces: ReadonlyMap<string, string>): string {
  const plain = pieces.get(name);
  const whole = pieces.get(`${name}*`);
  if (whole !== undefined) return percentDecoded(whole, null);
  if (plain !== undefined) return decodeWords(plain);
  let joined = '';
  let charset: string | null = null;
  for (let section = 0; ; section += 1) {
    const encoded = pieces.get(`${name}*${section}*`);
    const piece = encoded ?? pieces.get(`${name}*${section}`);
    if (piece === undefined) return percentDecoded(joined, charset ?? '');
    const head = section === 0 && encoded !== undefined ? /^([^']*)'[^']*'/.exec(encoded) : null;
    if (head !== null) charset = head[1] ?? '';
    const text = piece.slice(head?.[0].length ?? 0);
    joined += encoded === undefined ? text.replaceAll('%', '%25') : text;
  }
}

/** @param charset null where the text starts with it: `utf-8'de'R%C3%A4tsel` */
function percentDecoded(text: string, charset: string | null): string {
  const head = charset === null ? /^([^']*)'[^']*'/.exec(text) : null;
  const bytes = Buffer.from(
    text
      .slice(head?.[0].length ?? 0)
      .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
  try {
    return new TextDecoder(charset || head?.[1] || 'utf-8').decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
