/** Parses the structure of a mail (RFC 5322; MIME, RFC 2045 and 2046) into nested parts, in one pass over its lines. */
import { assertWithin, type Limits } from '../../limits.ts';
import { type Field, fieldValue } from './fields.ts';

export interface MimePart {
  headers: MailHeader[];
  /** Media type in lower case, with its parameters. */
  type: Field;
  /** Offsets of the body in the mail, one byte per character. */
  start: number;
  end: number;
  /** The parts of a multipart, or the message in a `message/rfc822` part that is not encoded. */
  children: MimePart[];
}

export interface MailHeader {
  /** In lower case. */
  name: string;
  /** Unfolded, one byte per character. */
  value: string;
}

interface Multipart {
  boundary: string;
  /** Index of the multipart in the open parts. */
  level: number;
  /** Media type of a part without a declared one. */
  usual: string;
}

const fieldLine = /^([!-9;-~]+)[ \t]*:/;

/**
 * The message whose bytes are the characters of `mail`. Malformed mails are parsed too: a delimiter ends the headers,
 * and a line that is not a header starts the body.
 * @throws SourceError `extraction_limit`
 */
export function parseMime(mail: string, limits: Limits): MimePart {
  const root = partAt(0, 'text/plain');
  const open = [root];
  const multiparts: Multipart[] = [];
  let part = root;
  let lines: string[] | null = [];
  let count = 1;

  function begin(at: number, usual: string): void {
    assertWithin(limits, 'nesting', open.length);
    assertWithin(limits, 'entries', count);
    count += 1;
    const child = partAt(at, usual);
    part.children.push(child);
    open.push(child);
    part = child;
    lines = [];
  }

  /** Ends the headers; the body starts at `at`. */
  function beginBody(at: number): void {
    part.headers = unfolded(lines ?? []);
    const declared = headerOf(part, 'content-type');
    if (declared !== null) part.type = fieldValue(declared);
    part.start = at;
    part.end = mail.length;
    lines = null;
    const boundary = part.type.parameters.get('boundary')?.trimEnd();
    if (part.type.value.startsWith('multipart/') && boundary !== undefined && boundary !== '') {
      const usual = part.type.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
      multiparts.push({ boundary, level: open.length - 1, usual });
    } else if (isMessage(part) && !isEncoded(part)) begin(at, 'text/plain');
  }

  function close(level: number, at: number): void {
    if (lines !== null && level < open.length - 1) beginBody(at);
    for (const closed of open.splice(level + 1)) closed.end = Math.max(closed.start, at);
    while ((multiparts.at(-1)?.level ?? -1) > level) multiparts.pop();
    part = open.at(-1) ?? root;
  }

  for (let at = 0; at < mail.length; ) {
    const newline = mail.indexOf('\n', at);
    const next = newline === -1 ? mail.length : newline + 1;
    const found = delimiterAt(mail, at, next, multiparts);
    if (found !== null) {
      const { level, usual } = found.multipart;
      close(level, mail.charAt(at - 2) === '\r' ? at - 2 : at - 1);
      if (found.isLast) multiparts.pop();
      else begin(next, usual);
    } else if (lines !== null) {
      const line = mail.slice(at, next).replace(/\r?\n$/, '');
      if (line === '') beginBody(next);
      else if (fieldLine.test(line) || (lines.length > 0 && /^[ \t]/.test(line))) lines.push(line);
      else beginBody(at);
    }
    at = next;
  }
  while (lines !== null) beginBody(mail.length);
  return root;
}

function partAt(at: number, value: string): MimePart {
  return { headers: [], type: { value, parameters: new Map() }, start: at, end: at, children: [] };
}

/** The innermost multipart that the line at `at` divides or ends. */
function delimiterAt(
  mail: string,
  at: number,
  next: number,
  multiparts: readonly Multipart[],
): { multipart: Multipart; isLast: boolean } | null {
  if (multiparts.length === 0 || mail.charCodeAt(at) !== 45 || mail.charCodeAt(at + 1) !== 45) return null;
  const line = mail.slice(at + 2, next).trimEnd();
  const multipart = multiparts.findLast(({ boundary }) => line === boundary || line === `${boundary}--`);
  return multipart === undefined ? null : { multipart, isLast: line !== multipart.boundary };
}

function unfolded(lines: readonly string[]): MailHeader[] {
  const folded: string[][] = [];
  for (const line of lines) {
    if (/^[ \t]/.test(line)) folded.at(-1)?.push(line);
    else folded.push([line]);
  }
  return folded.map((parts) => {
    const line = parts.join('');
    const colon = line.indexOf(':');
    return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1).trim() };
  });
}

/** The first header of this name, or null; later ones with this name are ignored. */
export function headerOf({ headers }: MimePart, name: string): string | null {
  return headers.find((header) => header.name === name)?.value ?? null;
}

export function isMessage({ type }: MimePart): boolean {
  return type.value === 'message/rfc822' || type.value === 'message/global';
}

/** False for "7bit", "8bit" and "binary", where the body is not encoded (RFC 2045 6.1). */
export function isEncoded(part: MimePart): boolean {
  return /base64|quoted-printable/i.test(headerOf(part, 'content-transfer-encoding') ?? '');
}
