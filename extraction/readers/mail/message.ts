/** A mail -> Markdown: headers, body, attachments by name, attached mails as sections of their own. */
import { SourceError } from '../../../contract/errors.ts';
import type { ReadingWarning } from '../../../contract/extraction.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { demoteHeadings } from '../../markdown/demote.ts';
import { escapeInline, fenced } from '../../markdown/write.ts';
import { fragmentDocument } from '../html/fragment.ts';
import { lowerHeadings } from '../html/headings.ts';
import { turndown } from '../html/markdown.ts';
import { bytesOf, textOf } from './body.ts';
import { headerList, subjectOf } from './headers.ts';
import { isMessage, type MimePart, parseMime } from './mime.ts';
import { type Attached, attachedTo, byRichness, isText } from './parts.ts';
import { plainToMarkdown } from './plain.ts';

/** What is gathered of a mail and of those within it. */
export interface MailSections {
  /** One for each message, in order. */
  texts: string[];
  attachments: number;
  /** Attachments that are listed by name. */
  named: number;
  imagesWithoutText: number;
  /** Encodings that nothing declared. */
  guessed: Set<string>;
}

/** What a message needs to be read. */
interface Reader {
  /** The mail that the parts are of, a byte a character. */
  mail: string;
  sections: MailSections;
  limits: Limits;
}

/** Adds a mail and those attached to it. @throws SourceError `extraction_limit`, `file_encrypted` */
export function addMessage(message: MimePart, reader: Reader, depth = 1): void {
  const { sections, limits } = reader;
  assertWithin(limits, 'nesting', depth);
  const attachments = attachedTo(message);
  sections.attachments += attachments.length;
  assertWithin(limits, 'entries', sections.attachments);
  const heading = Math.min(6, depth);
  const body = bodyOf(message, attachments, { ...reader, top: Math.min(6, heading + 1) });
  if (body === '') assertReadable(message);
  // Neither images that the text shows nor mails, which are read.
  const listed = attachments.filter(({ related, part }) => !related && !isMessage(part));
  sections.named += listed.length;
  const subject = subjectOf(message) ?? (depth === 1 ? null : 'Attached message');
  const blocks = [
    subject === null ? '' : `${'#'.repeat(heading)} ${escapeInline(subject)}`,
    headerList(message),
    body,
    attachmentList(listed, reader.mail, heading + 1),
  ];
  sections.texts.push(blocks.filter(Boolean).join('\n\n'));
  for (const { part } of attachments) {
    if (!isMessage(part)) continue;
    const [inner] = part.children;
    if (inner !== undefined) addMessage(inner, reader, depth + 1);
    else {
      const mail = Buffer.from(bytesOf(part, reader.mail)).toString('latin1');
      addMessage(parseMime(mail, limits), { ...reader, mail }, depth + 1);
    }
  }
}

interface BodyReader extends Reader {
  /** Depth of the highest heading. */
  top: number;
}

/** The texts of a part below each other; of alternatives the richest that says something. */
function bodyOf(part: MimePart, attachments: readonly Attached[], reader: BodyReader): string {
  if (isMessage(part)) return '';
  if (part.type.value === 'multipart/alternative') {
    for (const alternative of byRichness(part)) {
      const body = bodyOf(alternative, attachments, reader);
      if (body !== '') return body;
    }
  }
  if (part.children.length > 0) {
    return part.children
      .map((child) => bodyOf(child, attachments, reader))
      .filter((body) => body !== '')
      .join('\n\n');
  }
  if (!isText(part)) return '';
  const { text, encoding, guessed } = textOf(part, reader.mail);
  if (guessed) reader.sections.guessed.add(encoding);
  const kind = part.type.value;
  if (kind === 'text/html') return htmlToMarkdown(text, attachments, reader);
  return /(?:patch|diff)$/.test(kind)
    ? fenced(text.trimEnd(), 'diff')
    : demoteHeadings(plainToMarkdown(text), reader.top);
}

function htmlToMarkdown(html: string, attachments: readonly Attached[], { sections, limits, top }: BodyReader): string {
  const document = fragmentDocument(html, null, limits);
  const byAddress = new Map<string, Attached>();
  for (const attached of attachments.toReversed())
    if (attached.contentId !== null) byAddress.set(`cid:${attached.contentId}`, attached);
  // What only a preview of the inbox shows.
  for (const hidden of document.querySelectorAll('[style*="display:none" i], [style*="display: none" i]'))
    hidden.remove();
  for (const image of document.querySelectorAll('img')) {
    const source = image.getAttribute('src') ?? '';
    const isTracker = image.getAttribute('width') === '1' || image.getAttribute('height') === '1';
    if ((image.getAttribute('alt') ?? '').trim() === '') sections.imagesWithoutText += isTracker ? 0 : 1;
    const inline = byAddress.get(source);
    if (inline !== undefined) image.setAttribute('src', inline.filename ?? source);
  }
  lowerHeadings(document, top);
  return turndown(document.body).trim();
}

function attachmentList(listed: readonly Attached[], mail: string, heading: number): string {
  if (listed.length === 0) return '';
  const lines = listed.map(({ part, filename }) => {
    const name = escapeInline(filename?.replace(/\s+/g, ' ').trim() || 'without a name');
    return `- ${name} (${escapeInline(part.type.value)}, ${sizeText(bytesOf(part, mail).length)})`;
  });
  return `${'#'.repeat(Math.min(6, heading))} Attachments\n\n${lines.join('\n')}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${unit}`;
}

/** @throws SourceError `file_encrypted` for a mail of which only the recipient's key shows the text */
function assertReadable(message: MimePart): void {
  const { value, parameters } = message.type;
  const isEnveloped = value.endsWith('pkcs7-mime') && parameters.get('smime-type') === 'enveloped-data';
  if (value === 'multipart/encrypted' || isEnveloped) {
    throw new SourceError('file_encrypted', 'The mail is encrypted for its recipient.');
  }
}

export function mailWarnings({ named, imagesWithoutText, guessed }: MailSections): ReadingWarning[] {
  const warnings: ReadingWarning[] = [];
  for (const encoding of guessed) {
    const message = `A text of the mail does not say how it is encoded; it was read as ${encoding}.`;
    warnings.push({ code: 'encoding_guessed', message });
  }
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
