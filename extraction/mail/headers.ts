/** The headers of a mail that people read. */
import type { Address, Email } from 'postal-mime';
import { escapeInline } from '../markdown/write.ts';

/** A list of sender, recipients, date and subject, as far as the mail has them. */
export function headerList(mail: Email): string {
  const entries: [string, string][] = [
    ['From', addressText(mail.from)],
    ['To', addressesText(mail.to)],
    ['Cc', addressesText(mail.cc)],
    ['Date', escapeInline((dateOf(mail) ?? mail.date ?? '').replace('T', ' '))],
    ['Subject', escapeInline(subjectOf(mail) ?? '')],
  ];
  return entries
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n');
}

export function subjectOf({ subject }: Email): string | null {
  const text = subject?.replace(/\s+/g, ' ').trim() ?? '';
  return text === '' ? null : text;
}

/** Name of the sender, else the address. */
export function senderOf({ from }: Email): string | null {
  const text = (from?.name ?? '').trim() || (from?.address ?? '').trim();
  return text === '' ? null : text;
}

/** ISO 8601 in the sender's own time, with its offset; null for a header that is no date. */
export function dateOf({ date, headers }: Email): string | null {
  const instant = Date.parse(date ?? '');
  if (Number.isNaN(instant)) return null;
  const written = headers.find(({ key }) => key === 'date')?.value ?? '';
  const [, sign, hours = '00', minutes = '00'] = /([+-])(\d\d)(\d\d)\s*(?:\(.*\))?\s*$/.exec(written) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (sign === undefined || shift === 0) return new Date(instant).toISOString().replace('.000Z', 'Z');
  const local = new Date(instant + shift * 60_000);
  if (Number.isNaN(local.getTime())) return null;
  return `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}

function addressesText(addresses: Address[] | undefined): string {
  return (addresses ?? []).map(addressText).filter(Boolean).join(', ');
}

function addressText(address: Address | undefined): string {
  if (address === undefined) return '';
  const name = escapeInline(address.name.replace(/\s+/g, ' ').trim());
  if (address.group !== undefined) return `${name}: ${address.group.map(addressText).join(', ')}`;
  const mailbox = address.address.trim();
  if (mailbox === '' || mailbox === name) return name || mailbox;
  const shown = /^[\w.+-]+@[\w.-]+$/.test(mailbox) ? `<${mailbox}>` : escapeInline(`<${mailbox}>`);
  return name === '' ? shown : `${name} ${shown}`;
}
