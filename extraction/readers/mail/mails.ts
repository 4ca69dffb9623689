/** The bytes of a mail or of a mailbox -> Markdown. */
import type { Reading } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { dateOf, senderOf, subjectOf } from './headers.ts';
import { mailsOf } from './mailbox.ts';
import { addMessage, type MailSections, mailWarnings } from './message.ts';
import { parseMime } from './mime.ts';

/**
 * The mail, or all mails of a mailbox, and the mails attached to them, as sections and parts.
 * @throws SourceError `extraction_limit`, `file_encrypted`
 */
export function mailsToMarkdown(bytes: Uint8Array, limits: Limits): Reading {
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
