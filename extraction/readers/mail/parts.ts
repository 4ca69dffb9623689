/** Classifies the parts of a mail as text or attachments. */
import { decodeWords } from 'postal-mime';
import { fieldValue } from './fields.ts';
import { headerOf, isMessage, type MimePart } from './mime.ts';

/** True for a part with text of this mail, including all alternatives. */
export function isText(part: MimePart): boolean {
  if (dispositionOf(part).value === 'attachment') return false;
  return isBroken(part) || /^(?:text\/(?:plain|html|(?:x-)?(?:patch|diff))|text|)$/.test(part.type.value);
}

/** True for a multipart without a delimiter, whose content is shown unchanged. */
function isBroken({ type, children }: MimePart): boolean {
  return type.value.startsWith('multipart/') && children.length === 0;
}

export interface Attached {
  part: MimePart;
  /** Null for an attachment without a name. */
  filename: string | null;
  /** Without angle brackets, as in "cid:" URLs of HTML. */
  contentId: string | null;
  /** True for a file of a multipart/related, which the text shows inline. */
  related: boolean;
}

/** The attachments of a mail, in order, without those of attached mails. */
export function attachedTo(part: MimePart, isRelated = false): Attached[] {
  if (isMessage(part)) return [attached(part, false)];
  if (part.children.length > 0) {
    const related = isRelated || part.type.value === 'multipart/related';
    return part.children.flatMap((child) => attachedTo(child, related));
  }
  return isText(part) ? [] : [attached(part, isRelated)];
}

function attached(part: MimePart, isRelated: boolean): Attached {
  const { parameters } = dispositionOf(part);
  const filename = parameters.get('filename') ?? part.type.parameters.get('name') ?? null;
  const contentId = headerOf(part, 'content-id')?.replace(/^<|>$/g, '') ?? null;
  const name = filename === null ? null : decodeWords(filename);
  return { part, filename: name, contentId, related: isRelated && contentId !== null };
}

function dispositionOf(part: MimePart) {
  return fieldValue(headerOf(part, 'content-disposition') ?? '');
}

/** The children of a multipart/alternative, the richest first: the last one with HTML, then the others. */
export function byRichness({ children }: MimePart): MimePart[] {
  return children.toReversed().sort((a, b) => Number(holdsHtml(b)) - Number(holdsHtml(a)));
}

function holdsHtml(part: MimePart): boolean {
  return part.type.value === 'text/html' || (!isMessage(part) && part.children.some(holdsHtml));
}
