/** A mail -> Markdown: headers, body, names of attachments, and a section for each attached mail. */
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

/** Texts and counts of a mail and the mails attached to it. */
export interface MailSections {
  /** Markdown of each message, in order. */
  texts: string[];
  attachments: number;
  /** Attachments that are only listed by name. */
  named: number;
  imagesWithoutText: number;
  /** Encodings that were guessed. */
  guessed: Set<string>;
}

interface MessageContext {
  /** The mail that contains the parts, one byte per character. */
  mail: string;
  sections: MailSections;
  limits: Limits;
}

/** Adds a mail and those attached to it. @throws SourceError `extraction_limit`, `file_encrypted` */
export function addMessage(message: MimePart, context: MessageContext, depth = 1): void {
  const { sections, limits } = context;
  assertWithin(limits, 'nesting', depth);
  const attachments = attachedTo(message);
  sections.attachments += attachments.length;
  assertWithin(limits, 'entries', sections.attachments);
  const heading = Math.min(6, depth);
  const body = bodyOf(message, attachments, { ...context, top: Math.min(6, heading + 1) });
  if (body === '') assertReadable(message);
  // Without inline images, and without attached mails, which are read.
  const listed = attachments.filter(({ related, part }) => !related && !isMessage(part));
  sections.named += listed.length;
  const subject = subjectOf(message) ?? (depth === 1 ? null : 'Attached message');
  const blocks = [
    subject === null ? '' : `${'#'.repeat(heading)} ${escapeInline(subject)}`,
    headerList(message),
    body,
    attachmentList(listed, context.mail, heading + 1),
  ];
  sections.texts.push(blocks.filter(Boolean).join('\n\n'));
  for (const { part } of attachments) {
    if (!isMessage(part)) continue;
    const [inner] = part.children;
    if (inner !== undefined) addMessage(inner, context, depth + 1);
    else {
      const mail = Buffer.from(bytesOf(part, context.mail)).toString('latin1');
      addMessage(parseMime(mail, limits), { ...context, mail }, depth + 1);
    }
  }
}

interface BodyContext extends MessageContext {
  /** Depth of the highest heading. */
  top: number;
}

/** The texts of a part below each other; of alternatives only the richest one that is not empty. */
function bodyOf(part: MimePart, attachments: readonly Attached[], context: BodyContext): string {
  if (isMessage(part)) return '';
  if (part.type.value === 'multipart/alternative') {
    for (const alternative of byRichness(part)) {
      const body = bodyOf(alternative, attachments, context);
      if (body !== '') return body;
    }
  }
  if (part.children.length > 0) {
    return part.children
      .map((child) => bodyOf(child, attachments, context))
      .filter((body) => body !== '')
      .join('\n\n');
  }
  if (!isText(part)) return '';
  const { text, encoding, guessed } = textOf(part, context.mail);
  if (guessed) context.sections.guessed.add(encoding);
  const kind = part.type.value;
  if (kind === 'text/html') return htmlToMarkdown(text, attachments, context);
  return /(?:patch|diff)$/.test(kind)
    ? fenced(text.trimEnd(), 'diff')
    : demoteHeadings(plainToMarkdown(text), context.top);
}

function htmlToMarkdown(
  html: string,
  attachments: readonly Attached[],
  { sections, limits, top }: BodyContext,
): string {
  const document = fragmentDocument(html, null, limits);
  const byAddress = new Map<string, Attached>();
  for (const attached of attachments.toReversed())
    if (attached.contentId !== null) byAddress.set(`cid:${attached.contentId}`, attached);
  // Hidden text for the preview in the inbox.
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

/** @throws SourceError `file_encrypted` for a mail that only the recipient's key decrypts */
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
    const message = `A text of the mail declares no encoding and was read as ${encoding}.`;
    warnings.push({ code: 'encoding_guessed', message });
  }
  if (named > 0) {
    const message = `Listed but not read: ${named} ${named === 1 ? 'attachment' : 'attachments'}. Send each as a file.`;
    warnings.push({ code: 'attachments_not_read', message });
  }
  if (imagesWithoutText > 0) {
    const images = imagesWithoutText === 1 ? 'image' : 'images';
    const message = `Left out: ${imagesWithoutText} ${images} without a description.`;
    warnings.push({ code: 'images_without_text', message });
  }
  return warnings;
}
