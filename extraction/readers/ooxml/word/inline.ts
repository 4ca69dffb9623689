/** The content of a Word paragraph: runs, links, fields, notes, formulas and drawings. */
import { append } from '../../../append.ts';
import { type Block, type Inline, type Mark, noMarks } from '../../document/blocks.ts';
import { scripted } from '../../document/scripts.ts';
import { ommlToLatex } from '../../math/omml.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../../xml/parse.ts';
import { alternativeOf } from '../package.ts';
import { readDrawing } from './drawing.ts';
import { handleFieldMark, isAddress, isShown, linkOfFields, linkOfInstruction } from './fields.ts';
import type { WordPart } from './part.ts';
import { isOn, marksOf } from './styles.ts';
import { symbolOf } from './symbols.ts';

/** A paragraph's content, and the blocks that are anchored in it: text boxes, charts, diagrams. */
export interface ParagraphContent {
  inlines: Inline[];
  anchored: Block[];
}

/** Reads the content of a paragraph, in order. */
export function readContent(paragraph: XmlElement, part: WordPart): ParagraphContent {
  const content: ParagraphContent = { inlines: [], anchored: [] };
  readInto(content, paragraph, part, null);
  return content;
}

const containers = new Set([
  'w:ins',
  'w:moveTo',
  'w:smartTag',
  'w:customXml',
  'w:sdtContent',
  'w:bdo',
  'w:dir',
  'w:p',
  'mc:Choice',
  'mc:Fallback',
]);

function readInto(content: ParagraphContent, parent: XmlElement, part: WordPart, href: string | null): void {
  for (const element of elementsOf(parent)) {
    switch (element.name) {
      case 'w:r':
        readRun(content, element, part, href);
        break;
      case 'w:hyperlink': {
        const target = part.relationships.get(element.attributes['r:id'] ?? '');
        const address = target?.external === true && isAddress(target.target) ? target.target : href;
        const anchor = element.attributes['w:anchor'];
        readInto(
          content,
          element,
          part,
          address !== null && anchor && !address.includes('#') ? `${address}#${anchor}` : address,
        );
        break;
      }
      case 'w:fldSimple':
        readInto(content, element, part, linkOfInstruction(element.attributes['w:instr'] ?? '') ?? href);
        break;
      case 'w:del':
      case 'w:moveFrom':
        part.leftOut.add('tracked_deletions');
        break;
      case 'w:sdt':
        if (childOf(element, 'w:sdtPr', 'w:showingPlcHdr') === undefined) {
          readInto(content, childOf(element, 'w:sdtContent') ?? element, part, href);
        }
        break;
      case 'm:oMath':
        addFormula(content, element, false);
        break;
      case 'm:oMathPara':
        for (const formula of elementsOf(element, 'm:oMath')) addFormula(content, formula, true);
        break;
      case 'mc:AlternateContent':
        readInto(content, alternativeOf(element) ?? element, part, href);
        break;
      default:
        if (element.name === 'w:ins') part.leftOut.add('tracked_insertions');
        if (containers.has(element.name)) readInto(content, element, part, href);
    }
  }
}

function addFormula(content: ParagraphContent, formula: XmlElement, display: boolean): void {
  const latex = ommlToLatex(formula);
  if (latex !== '') content.inlines.push({ kind: 'formula', latex, display });
}

function readRun(content: ParagraphContent, run: XmlElement, part: WordPart, href: string | null): void {
  const properties = childOf(run, 'w:rPr');
  const isHidden = isOn(childOf(properties, 'w:vanish'));
  const marks = runMarks(properties, part);
  const raise = childOf(properties, 'w:vertAlign')?.attributes['w:val'];
  const add = (text: string) => {
    if (!isShown(part) || text === '') return;
    if (isHidden) {
      if (text.trim() !== '') part.leftOut.add('hidden_text');
      return;
    }
    const shown =
      raise === 'superscript' ? scripted(text, 'super') : raise === 'subscript' ? scripted(text, 'sub') : text;
    content.inlines.push({ kind: 'text', text: shown, marks, href: href ?? linkOfFields(part) });
  };
  const readChildren = (parent: XmlElement): void => {
    for (const element of elementsOf(parent)) readRunChild(element);
  };
  const readRunChild = (element: XmlElement): void => {
    switch (element.name) {
      case 'w:t':
        add(textOf(element));
        break;
      case 'w:tab':
      case 'w:ptab':
        add('\t');
        break;
      case 'w:br':
        if (element.attributes['w:type'] === 'page') content.inlines.push({ kind: 'page', hard: true });
        else if (isShown(part)) content.inlines.push({ kind: 'break' });
        break;
      case 'w:cr':
        if (isShown(part)) content.inlines.push({ kind: 'break' });
        break;
      case 'w:lastRenderedPageBreak':
        content.inlines.push({ kind: 'page', hard: false });
        break;
      case 'w:noBreakHyphen':
        add('-');
        break;
      case 'w:sym':
        add(symbolOf(element.attributes['w:font'] ?? '', element.attributes['w:char'] ?? ''));
        break;
      case 'w:fldChar': {
        handleFieldMark(element, part);
        const box = childOf(element, 'w:ffData', 'w:checkBox');
        if (box !== undefined) content.inlines.push({ kind: 'text', text: checkBox(box), marks: noMarks, href: null });
        break;
      }
      case 'w:instrText': {
        const field = part.fields.at(-1);
        if (field !== undefined && !field.shows) field.instruction += textOf(element);
        break;
      }
      case 'w:footnoteReference':
      case 'w:endnoteReference': {
        const kind = element.name === 'w:footnoteReference' ? 'footnote' : 'endnote';
        const label = isShown(part) ? part.noteLabel(kind, element.attributes['w:id'] ?? '') : null;
        if (label !== null) content.inlines.push({ kind: 'note', label });
        break;
      }
      case 'w:ruby': {
        const reading = descendantsOf(childOf(element, 'w:rt'), 'w:t').map(textOf).join('');
        for (const inner of elementsOf(childOf(element, 'w:rubyBase'), 'w:r')) readRun(content, inner, part, href);
        if (reading.trim() !== '') add(`（${reading}）`);
        break;
      }
      case 'w:drawing':
      case 'w:pict':
      case 'w:object': {
        if (!isShown(part)) break;
        const { inlines, blocks } = readDrawing(element, part);
        append(content.inlines, inlines);
        append(content.anchored, blocks);
        break;
      }
      case 'mc:AlternateContent': {
        const alternative = alternativeOf(element);
        if (alternative !== undefined) readChildren(alternative);
        break;
      }
      default:
    }
  };
  readChildren(run);
}

function checkBox(box: XmlElement): string {
  return isOn(childOf(box, 'w:checked') ?? childOf(box, 'w:default')) ? '☒' : '☐';
}

function runMarks(properties: XmlElement | undefined, part: WordPart): ReadonlySet<Mark> {
  if (properties === undefined) return noMarks;
  const marks = new Set(part.styles.run(childOf(properties, 'w:rStyle')?.attributes['w:val']));
  for (const [mark, on] of marksOf(properties)) {
    if (on) marks.add(mark);
    else marks.delete(mark);
  }
  return marks;
}
