/** The paragraphs and tables of a Word part. */

import { append } from '../../../append.ts';
import { type Block, type Inline, isVisible, labelText, plain } from '../../document/blocks.ts';
import { codeBlock, isCode } from '../../document/code.ts';
import { childOf, descendantsOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import { alternativeOf } from '../package.ts';
import { type ParagraphContent, readContent } from './inline.ts';
import type { WordPart } from './part.ts';
import { isOn, numberOf } from './styles.ts';
import { readTable } from './table.ts';

/** The blocks of a body, cell, text box or note. */
export function readBlocks(container: XmlElement, part: WordPart): Block[] {
  const blocks: Block[] = [];
  // Content of a paragraph whose paragraph mark is deleted belongs to the next paragraph.
  let carried: ParagraphContent = { inlines: [], anchored: [] };
  function read(parent: XmlElement): void {
    for (const element of elementsOf(parent)) {
      switch (element.name) {
        case 'w:p': {
          const { inlines, anchored } = readContent(element, part);
          append(carried.inlines, inlines);
          append(carried.anchored, anchored);
          if (childOf(element, 'w:pPr', 'w:rPr', 'w:del') !== undefined) break;
          addParagraph(element, carried, blocks, part);
          carried = { inlines: [], anchored: [] };
          break;
        }
        case 'w:tbl':
          blocks.push(readTable(element, part));
          break;
        case 'w:sdt':
          if (isContents(element)) part.leftOut.add('table_of_contents');
          else if (childOf(element, 'w:sdtPr', 'w:showingPlcHdr') === undefined)
            read(childOf(element, 'w:sdtContent') ?? element);
          break;
        case 'w:altChunk':
          part.leftOut.add('embedded_objects');
          break;
        case 'm:oMathPara':
        case 'm:oMath':
          addParagraph(element, readContent({ name: 'w:p', attributes: {}, children: [element] }, part), blocks, part);
          break;
        case 'mc:AlternateContent':
          read(alternativeOf(element) ?? element);
          break;
        case 'w:del':
        case 'w:moveFrom':
          part.leftOut.add('tracked_deletions');
          break;
        case 'w:ins':
        case 'w:moveTo':
        case 'w:customXml':
        case 'w:smartTag':
          read(element);
          break;
        default:
      }
    }
  }
  read(container);
  if (carried.inlines.some(isVisible)) blocks.push({ kind: 'paragraph', content: carried.inlines });
  return blocks;
}

/** True for a content control with a table of contents. */
function isContents(control: XmlElement): boolean {
  const gallery = childOf(control, 'w:sdtPr', 'w:docPartObj', 'w:docPartGallery')?.attributes['w:val'] ?? '';
  return /^table of contents$/i.test(gallery);
}

function addParagraph(paragraph: XmlElement, content: ParagraphContent, blocks: Block[], part: WordPart): void {
  const properties = childOf(paragraph, 'w:pPr');
  const begins = isOn(childOf(properties, 'w:pageBreakBefore')) ? [pageBegin] : [];
  const inlines: Inline[] = [...begins, ...content.inlines];
  blocks.push(blockOf(properties, inlines, blocks.at(-1), part));
  append(blocks, content.anchored);
  // The type of a section defines the break before it; most types start a page.
  const section = childOf(properties, 'w:sectPr');
  const type = childOf(section, 'w:type')?.attributes['w:val'] ?? 'nextPage';
  if (section !== undefined && type !== 'continuous') blocks.push({ kind: 'paragraph', content: [pageBegin] });
}

const pageBegin: Inline = { kind: 'page', hard: false };

function blockOf(
  properties: XmlElement | undefined,
  inlines: Inline[],
  previous: Block | undefined,
  part: WordPart,
): Block {
  const style = part.styles.paragraph(childOf(properties, 'w:pStyle')?.attributes['w:val']);
  const visible = inlines.some(isVisible);
  const outline = numberOf(childOf(properties, 'w:outlineLvl'));
  const heading = outline === undefined ? style.heading : outline < 9 ? outline + 1 : null;
  const own = childOf(properties, 'w:numPr');
  const id = childOf(own, 'w:numId')?.attributes['w:val'] ?? style.numbering?.id;
  const level =
    numberOf(childOf(own, 'w:ilvl')) ?? style.numbering?.level ?? (heading === null ? 0 : Math.max(0, heading - 1));
  // The number of an empty paragraph is not intended.
  const label = visible && id !== undefined && id !== '0' ? part.numbering.next(id, level) : null;

  if (visible && heading !== null) {
    const number = label === null ? '' : labelText(label);
    return { kind: 'heading', level: heading, content: number === '' ? inlines : [plain(`${number} `), ...inlines] };
  }
  if (isCode(style.role, inlines)) return codeBlock(inlines);
  const above =
    previous?.kind === 'item' ? previous.level : previous?.kind === 'paragraph' ? previous.within : undefined;
  if (label !== null) {
    const isContinuation = label.kind === 'literal' && label.text === '';
    if (!isContinuation) return { kind: 'item', level: Math.min(level, (above ?? -1) + 1), label, content: inlines };
    return { kind: 'paragraph', content: inlines, ...(above === undefined ? {} : { within: Math.min(level, above) }) };
  }
  if (style.role === 'quote' && visible) return { kind: 'quote', blocks: [{ kind: 'paragraph', content: inlines }] };
  if (style.role === 'list' && above !== undefined) return { kind: 'paragraph', content: inlines, within: above };
  return { kind: 'paragraph', content: inlines };
}

/** Whether a header or footer has text other than fields, such as the page number. */
export function hasOwnText(root: XmlElement | null): boolean {
  return descendantsOf(root ?? undefined, 'w:t').some((text) =>
    text.children.some((child) => typeof child === 'string' && /\p{L}/u.test(child)),
  );
}
