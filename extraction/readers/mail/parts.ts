/** What of a mail's parts is its text, and what is attached to it. */
import { decodeWords } from 'postal-mime';
import { fieldValue } from './fields.ts';
import { headerOf, isMessage, type MimePart } from './mime.ts';

/** Each part that is text of this mail itself: none of several alternatives is left out yet. */
export function isText(part: MimePart): boolean {
  if (dispositionOf(part).value === 'attachment') return false;
  return isBroken(part) || /^(?:text\/(?:plain|html|(?:x-)?(?:patch|diff))|text|)$/.test(part.type.value);
}

/** A multipart in which no delimiter was found; what it holds is shown as it stands. */
function isBroken({ type, children }: MimePart): boolean {
  return type.value.startsWith('multipart/') && children.length === 0;
}

export interface Attached {
  part: MimePart;
  /** Null for one without a name. */
  filename: string | null;
  /** Without its angle brackets; what HTML says after "cid:". */
  contentId: string | null;
  /** A file that the text shows, in a multipart/related. */
  related: boolean;
}

/** What is attached to a mail, in order, without what is attached to mails within it. */
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

/** The children of a multipart/alternative by how much a reader gets of them: the last with HTML first. */
export function byRichness({ children }: MimePart): MimePart[] {
  return children.toReversed().sort((a, b) => Number(holdsHtml(b)) - Number(holdsHtml(a)));
}

function holdsHtml(part: MimePart): boolean {
  return part.type.value === 'text/html' || (!isMessage(part) && part.children.some(holdsHtml));
}
