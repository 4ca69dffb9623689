/** Fields of Word (ECMA-376 part 1, 17.16): what they show is kept, a link is one, a table of contents is left out. */
import type { XmlElement } from '../../xml/parse.ts';
import type { WordPart } from './part.ts';

/** Takes a mark that begins a field, parts its instruction from what it shows, or ends it. */
export function takeFieldMark(element: XmlElement, part: WordPart): void {
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

/** Whether text that stands here is to be read. */
export function isShown({ fields }: WordPart): boolean {
  return fields.every((field) => field.shows && !isContents(field.instruction));
}

/** The address of the link that the text stands in. */
export function linkOfFields({ fields }: WordPart): string | null {
  for (const { instruction } of fields.toReversed()) {
    const address = linkOfInstruction(instruction);
    if (address !== null) return address;
  }
  return null;
}

/** The address that a HYPERLINK instruction names; null for places within the document. */
export function linkOfInstruction(instruction: string): string | null {
  const [, quoted, bare] = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]+))/i.exec(instruction) ?? [];
  const address = (quoted ?? bare ?? '').trim();
  return isAddress(address) ? address : null;
}

/** Whether a link leads somewhere that a reader elsewhere can open. */
export function isAddress(target: string): boolean {
  return /^(?:https?|ftps?|mailto|tel|news|sip):/i.test(target) && target.length < 4_000;
}

function isContents(instruction: string): boolean {
  return /^\s*(?:TOC|INDEX)\b/i.test(instruction);
}
