/** Mails (RFC 5322 with MIME) and mailboxes of them -> Markdown. */
import type { Reading } from '../content.ts';
import { assertWithin, type Limits } from '../limits.ts';
import { dateOf, senderOf, subjectOf } from '../mail/headers.ts';
import { mailsOf } from '../mail/mailbox.ts';
import { addMessage, type MailSections, mailWarnings } from '../mail/message.ts';
import { parseMime } from '../mail/mime.ts';
import type { TextFormat, TextSample } from './format.ts';

export const eml: TextFormat = {
  kind: 'text',
  name: 'eml',
  label: 'an e-mail',
  mediaTypes: ['message/rfc822', 'message/global', 'multipart/related', 'application/mbox'],
  extensions: ['eml', 'mht', 'mhtml', 'mbox'],
  parser: null,
  decodesItself: true,
  emptiness: 'The mail has neither headers nor text.',
  looks: ({ text }) => looksLikeMail(text),
  read: emlToMarkdown,
};

/** Headers that only mail programs write, and those that people write as well. */
const technical = new Set(['message-id', 'mime-version', 'received', 'return-path', 'dkim-signature', 'delivered-to']);
const common = new Set(['from', 'to', 'cc', 'date', 'subject', 'sent', 'reply-to']);

function looksLikeMail(text: string): 'sure' | 'likely' | null {
  const block = text.slice(0, 64 * 1024).replace(/^From .*\n/, '');
  const end = block.indexOf('\n\n');
  const lines = (end === -1 ? block : block.slice(0, end)).split('\n');
  if (!lines.every((line, at) => /^[!-9;-~]+:/.test(line) || (at > 0 && /^[ \t]/.test(line)))) return null;
  const names = new Set(lines.map((line) => /^[!-9;-~]+(?=:)/.exec(line)?.[0].toLowerCase() ?? ''));
  const count = (known: Set<string>) => [...known].filter((name) => names.has(name)).length;
  if (!names.has('from') || count(common) < 2) return null;
  if (count(technical) > 0) return 'sure';
  return names.has('date') && names.has('subject') ? 'likely' : null;
}

function emlToMarkdown({ bytes }: TextSample, limits: Limits): Reading {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const sections: MailSections = { texts: [], attachments: 0, named: 0, imagesWithoutText: 0, guessed: new Set() };
  const places = mailsOf(source);
  assertWithin(limits, 'entries', places.length);
  const messages = places.map(({ start, end }) => {
    const mail = source.slice(start, end);
    const message = parseMime(mail, limits);
    addMessage(message, { mail, sections, limits });
    return message;
  });
  const [only] = messages.length === 1 ? messages : [];
  const starts: number[] = [];
  let end = 0;
  for (const text of sections.texts) {
    starts.push(end);
    end += text.length + 2;
  }
  return {
    markdown: sections.texts.join('\n\n'),
    title: only === undefined ? null : subjectOf(only),
    languageHint: null,
    about: only === undefined ? {} : { author: senderOf(only), publishedAt: dateOf(only) },
    parts: { unit: 'message', starts },
    warnings: mailWarnings(sections),
  };
}
