/** Mails (RFC 5322 with MIME) -> Markdown. */
import { SourceError } from '../../contract/errors.ts';
import type { Reading } from '../content.ts';
import type { Limits } from '../limits.ts';
import { dateOf, senderOf, subjectOf } from '../mail/headers.ts';
import { addMessage, type MailSections, mailWarnings, type ParseMail } from '../mail/message.ts';
import type { TextFormat, TextSample } from './format.ts';

export const eml: TextFormat = {
  kind: 'text',
  name: 'eml',
  label: 'an e-mail',
  mediaTypes: ['message/rfc822', 'message/global', 'multipart/related'],
  extensions: ['eml', 'mht', 'mhtml'],
  parser: 'postal-mime',
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

async function emlToMarkdown({ bytes }: TextSample, limits: Limits): Promise<Reading> {
  const { default: PostalMime } = await import('postal-mime');
  const parse: ParseMail = async (source) => {
    try {
      return await PostalMime.parse(withoutMboxLine(source), {
        forceRfc822Attachments: true,
        maxNestingDepth: Math.min(limits.nesting, 256),
      });
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (/maximum/i.test(message)) {
        throw new SourceError('extraction_limit', 'The mail is nested too deeply or has too many headers.', {
          cause: error,
        });
      }
      throw new SourceError('file_damaged', 'The mail is damaged and cannot be read.', { cause: error });
    }
  };
  const mail = await parse(bytes);
  const sections: MailSections = { texts: [], attachments: 0, named: 0, imagesWithoutText: 0 };
  await addMessage(mail, sections, { parse, limits, depth: 1 });
  const starts: number[] = [];
  let end = 0;
  for (const text of sections.texts) {
    starts.push(end);
    end += text.length + 2;
  }
  return {
    markdown: sections.texts.join('\n\n'),
    title: subjectOf(mail),
    languageHint: null,
    about: { author: senderOf(mail), publishedAt: dateOf(mail) },
    parts: { unit: 'message', starts },
    warnings: mailWarnings(sections),
  };
}

/** Mailboxes (mbox) begin each mail with a line that is no header. */
function withoutMboxLine(bytes: Uint8Array): Uint8Array {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1000)).toString('latin1');
  const line = /^(?:\s*\n)*From [^\n]*\n/.exec(head)?.[0] ?? '';
  return bytes.subarray(line.length);
}
