/** The headers of a mail that people read. */
import { type Address, addressParser, decodeWords } from 'postal-mime';
import { decodeText } from '../../detection/encoding/decode.ts';
import { escapeInline } from '../../markdown/write.ts';
import { headerOf, type MimePart } from './mime.ts';

/** A list of sender, recipients, date and subject, as far as the mail has them. */
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

/** Name of the sender, else the address. */
export function senderOf(mail: MimePart): string | null {
  const from = addressParser(rawOf(mail, 'from') ?? '')[0];
  const text = (from?.name ?? '').trim() || (from?.address ?? '').trim();
  return text === '' ? null : text;
}

/** "+0100", "GMT" or "EST" (RFC 5322 4.3) at the end, or before a comment. */
const zone = /(?:[+-]\d\d:?\d\d|\d\s*Z|\b(?:UTC?|GMT|[ECMP][SD]T))\s*(?:\(.*)?$/i;

/** ISO 8601 in the sender's own time, with its offset (without one it counts as UTC); null for a header that is no date. */
export function dateOf(mail: MimePart): string | null {
  const written = rawOf(mail, 'date') ?? '';
  // Without a zone, the parser would take the one of the machine.
  const instant = Date.parse(zone.test(written) ? written : `${written.replace(/\(.*$/, '').trim()}Z`);
  if (Number.isNaN(instant)) return null;
  const [, sign, hours = '00', minutes = '00'] = /([+-])(\d\d)(\d\d)\s*(?:\(.*\))?\s*$/.exec(written) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (sign === undefined || shift === 0) return new Date(instant).toISOString().replace('.000Z', 'Z');
  const local = new Date(instant + shift * 60_000);
  if (Number.isNaN(local.getTime())) return null;
  return `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}

/** Some programs write other letters than ASCII as they are, mostly in the charset of the text below. */
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

/** Of all headers of this name. */
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
