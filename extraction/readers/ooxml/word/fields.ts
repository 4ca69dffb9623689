/**
 * Fields of Word (ECMA-376 part 1, 17.16): their results are kept, HYPERLINK is a link, a table of contents left out.
 */
import type { XmlElement } from '../../xml/parse.ts';
import type { WordPart } from './part.ts';

/** Handles a `w:fldChar`, which begins a field, separates its instruction from its result, or ends it. */
export function handleFieldMark(element: XmlElement, part: WordPart): void {
  const { fields, leftOut } = part;
  switch (element.attributes['w:fldCharType']) {
    case 'begin':
      fields.push({ instruction: '', shows: false });
      break;
    case 'separate': {
      const field = fields.at(-1);
      if (field === undefined) break;
      field.shows = true;
      if (isContents(field.instruction)) leftOut.add('table_of_contents');
      break;
    }
    case 'end':
      fields.pop();
      break;
    default:
  }
}

/** Whether text at this place is shown: it is not an instruction or a table of contents. */
export function isShown({ fields }: WordPart): boolean {
  return fields.every((field) => field.shows && !isContents(field.instruction));
}

/** The URL of the innermost open link field, or null. */
export function linkOfFields({ fields }: WordPart): string | null {
  for (const { instruction } of fields.toReversed()) {
    const address = linkOfInstruction(instruction);
    if (address !== null) return address;
  }
  return null;
}

/** The URL of a HYPERLINK instruction; null for a place within the document. */
export function linkOfInstruction(instruction: string): string | null {
  const [, quoted, bare] = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]+))/i.exec(instruction) ?? [];
  const address = (quoted ?? bare ?? '').trim();
  return isAddress(address) ? address : null;
}

/** Whether a link's target is a URL that works outside of the author's machine. */
export function isAddress(target: string): boolean {
  return /^(?:https?|ftps?|mailto|tel|news|sip):/i.test(target) && target.length < 4_000;
}

function isContents(instruction: string): boolean {
  return /^\s*(?:TOC|INDEX)\b/i.test(instruction);
}
