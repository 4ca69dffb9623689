/** The headers of a mail that are shown. */
import { type Address, addressParser, decodeWords } from 'postal-mime';
import { decodeText } from '../../detection/encoding/decode.ts';
import { escapeInline } from '../../markdown/write.ts';
import { headerOf, type MimePart } from './mime.ts';

/** A list of sender, recipients, date and subject, without missing ones. */
export function headerList(mail: MimePart): string {
  const entries: [string, string][] = [
    ['From', addressesText(mail, 'from')],
    ['To', addressesText(mail, 'to')],
    ['Cc', addressesText(mail, 'cc')],
    ['Date', escapeInline((dateOf(mail) ?? rawOf(mail, 'date') ?? '').replace('T', ' '))],
    ['Subject', escapeInline(subjectOf(mail) ?? '')],
  ];
  return entries
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n');
}

export function subjectOf(mail: MimePart): string | null {
  const text = decodeWords(rawOf(mail, 'subject') ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? null : text;
}

/** Name of the sender, else the sender's address. */
export function senderOf(mail: MimePart): string | null {
  const from = addressParser(rawOf(mail, 'from') ?? '')[0];
  const text = (from?.name ?? '').trim() || (from?.address ?? '').trim();
  return text === '' ? null : text;
}

/** "+0100", "GMT" or "EST" (RFC 5322 4.3) at the end, or before a comment. */
const zone = /(?:[+-]\d\d:?\d\d|\d\s*Z|\b(?:UTC?|GMT|[ECMP][SD]T))\s*(?:\(.*)?$/i;

/** ISO 8601 in the sender's time zone (UTC if it is not given); null for a header without a valid date. */
export function dateOf(mail: MimePart): string | null {
  const written = rawOf(mail, 'date') ?? '';
  // Without a zone, Date.parse would use the machine's.
  const instant = Date.parse(zone.test(written) ? written : `${written.replace(/\(.*$/, '').trim()}Z`);
  if (Number.isNaN(instant)) return null;
  const [, sign, hours = '00', minutes = '00'] = /([+-])(\d\d)(\d\d)\s*(?:\(.*\))?\s*$/.exec(written) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (sign === undefined || shift === 0) return new Date(instant).toISOString().replace('.000Z', 'Z');
  const local = new Date(instant + shift * 60_000);
  if (Number.isNaN(local.getTime())) return null;
  return `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}

/** The value of a header; programs that do not encode letters beyond ASCII mostly use the charset of the body. */
function rawOf(mail: MimePart, name: string): string | null {
  const value = headerOf(mail, name);
  if (value === null || /^[\0-\x7f]*$/.test(value)) return value;
  return decodeText(Buffer.from(value, 'latin1'), charsetWithin(mail)).text;
}

function charsetWithin({ type, children }: MimePart): string | null {
  const own = type.parameters.get('charset') ?? null;
  if (own !== null) return /ascii/i.test(own) ? null : own;
  for (const child of children) {
    const charset = charsetWithin(child);
    if (charset !== null) return charset;
  }
  return null;
}

/** The addresses of all headers of this name. */
function addressesText(mail: MimePart, name: string): string {
  const text = mail.headers
    .filter((header) => header.name === name)
    .map(({ value }) => rawOf({ ...mail, headers: [{ name, value }] }, name))
    .join(', ');
  return addressParser(text).map(addressText).filter(Boolean).join(', ');
}

function addressText(address: Address): string {
  const name = escapeInline(address.name.replace(/\s+/g, ' ').trim());
  if (address.group !== undefined) return `${name}: ${address.group.map(addressText).join(', ')}`;
  const mailbox = address.address.trim();
  if (mailbox === '' || mailbox === name) return name || mailbox;
  const shown = /^[\w.+-]+@[\w.-]+$/.test(mailbox) ? `<${mailbox}>` : escapeInline(`<${mailbox}>`);
  return name === '' ? shown : `${name} ${shown}`;
}
