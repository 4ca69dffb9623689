/** A parsed mail -> Markdown: headers, body, attachments by name, attached mails as sections of their own. */
import type { Attachment, Email } from 'postal-mime';
import { SourceError } from '../../contract/errors.ts';
import type { ReadingWarning } from '../../contract/extraction.ts';
import { fragmentDocument } from '../html/fragment.ts';
import { turndown } from '../html/markdown.ts';
import { assertWithin, type Limits } from '../limits.ts';
import { demoteHeadings } from '../markdown/demote.ts';
import { escapeInline } from '../markdown/write.ts';
import { headerList, subjectOf } from './headers.ts';
import { plainToMarkdown } from './plain.ts';

/** What is gathered of a mail and of those within it. */
export interface MailSections {
  /** One for each message, in order. */
  texts: string[];
  attachments: number;
  /** Attachments that are listed by name. */
  named: number;
  imagesWithoutText: number;
}

export type ParseMail = (bytes: Uint8Array) => Promise<Email>;

/** Adds a mail and those attached to it. @throws SourceError `extraction_limit`, `file_encrypted` */
export async function addMessage(
  mail: Email,
  sections: MailSections,
  tools: { parse: ParseMail; limits: Limits; depth: number },
): Promise<void> {
  const { limits, parse, depth } = tools;
  assertWithin(limits, 'nesting', depth);
  sections.attachments += mail.attachments.length;
  assertWithin(limits, 'entries', sections.attachments);
  const body = bodyOf(mail, sections, limits);
  if (body === '') assertReadable(mail);
  const nested = mail.attachments.filter(({ mimeType }) => mimeType === 'message/rfc822');
  const subject = subjectOf(mail) ?? (depth === 1 ? null : 'Attached message');
  const heading = Math.min(6, depth);
  sections.named += listedOf(mail).length;
  const blocks = [
    subject === null ? '' : `${'#'.repeat(heading)} ${escapeInline(subject)}`,
    headerList(mail),
    demoteHeadings(body, Math.min(6, heading + 1)),
    attachmentList(mail, heading + 1),
  ];
  sections.texts.push(blocks.filter(Boolean).join('\n\n'));
  for (const { content } of nested) {
    await addMessage(await parse(bytesOf(content)), sections, { parse, limits, depth: depth + 1 });
  }
}

function bodyOf(mail: Email, sections: MailSections, limits: Limits): string {
  if (mail.html === undefined || mail.html.trim() === '') return plainToMarkdown(mail.text ?? '');
  const document = fragmentDocument(mail.html, null, limits);
  // What only a preview of the inbox shows.
  for (const hidden of document.querySelectorAll('[style*="display:none" i], [style*="display: none" i]'))
    hidden.remove();
  for (const image of document.querySelectorAll('img')) {
    const source = image.getAttribute('src') ?? '';
    const isTracker = image.getAttribute('width') === '1' || image.getAttribute('height') === '1';
    if ((image.getAttribute('alt') ?? '').trim() === '') sections.imagesWithoutText += isTracker ? 0 : 1;
    const inline = mail.attachments.find(
      ({ contentId }) => source === `cid:${(contentId ?? '').replace(/^<|>$/g, '')}`,
    );
    if (inline !== undefined) image.setAttribute('src', inline.filename ?? source);
  }
  const markdown = turndown(document.body).trim();
  return markdown === '' ? plainToMarkdown(mail.text ?? '') : markdown;
}

/** Neither images that the text shows nor mails, which are read. */
function listedOf({ attachments }: Email): Attachment[] {
  return attachments.filter(({ related, mimeType }) => related !== true && mimeType !== 'message/rfc822');
}

function attachmentList(mail: Email, heading: number): string {
  const listed = listedOf(mail);
  if (listed.length === 0) return '';
  const lines = listed.map((attachment) => {
    const name = escapeInline(attachment.filename?.replace(/\s+/g, ' ').trim() || 'without a name');
    return `- ${name} (${escapeInline(attachment.mimeType)}, ${sizeText(bytesOf(attachment.content).length)})`;
  });
  return `${'#'.repeat(Math.min(6, heading))} Attachments\n\n${lines.join('\n')}`;
}

function bytesOf(content: Attachment['content']): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${unit}`;
}

/** @throws SourceError `file_encrypted` for a mail of which only the recipient's key shows the text */
function assertReadable({ headers }: Email): void {
  const type = headers.find(({ key }) => key === 'content-type')?.value ?? '';
  if (/^multipart\/encrypted|pkcs7-mime\b.*smime-type="?enveloped-data/is.test(type)) {
    throw new SourceError('file_encrypted', 'The mail is encrypted for its recipient.');
  }
}

export function mailWarnings({ named, imagesWithoutText }: MailSections): ReadingWarning[] {
  const warnings: ReadingWarning[] = [];
  if (named > 0) {
    const message = `${named} ${named === 1 ? 'attachment is' : 'attachments are'} named only, not read.`;
    warnings.push({ code: 'attachments_not_read', message });
  }
  if (imagesWithoutText > 0) {
    const message = `${imagesWithoutText} ${imagesWithoutText === 1 ? 'image' : 'images'} without a description left out.`;
    warnings.push({ code: 'images_without_text', message });
  }
  return warnings;
}
