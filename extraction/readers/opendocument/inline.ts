/** The content of an OpenDocument paragraph. */
import { append } from '../../append.ts';
import { type Inline, type Mark, noMarks } from '../document/blocks.ts';
import { scripted } from '../document/scripts.ts';
import { childOf, isElement, textOf, type XmlElement } from '../xml/parse.ts';
import { isFrame, readFrame } from './frame.ts';
import type { ParagraphContent, Part } from './part.ts';

interface Formatting {
  marks: ReadonlySet<Mark>;
  href: string | null;
  script: 'super' | 'sub' | null;
}

/** Reads the content of a paragraph, in order. `marks` apply to the whole paragraph. */
export function readContent(paragraph: XmlElement, part: Part, marks: ReadonlySet<Mark> = noMarks): ParagraphContent {
  const content: ParagraphContent = { inlines: [], anchored: [] };
  readInto(content, paragraph, part, { marks, href: null, script: null });
  return content;
}

const leftOut = new Set([
  'text:note-citation',
  'text:tracked-changes',
  'text:bookmark',
  'office:forms',
  'svg:title',
  'svg:desc',
  'text:page-number',
  'presentation:footer',
  'presentation:date-time',
]);

function readInto(content: ParagraphContent, parent: XmlElement, part: Part, format: Formatting): void {
  const add = (text: string) => {
    if (text === '') return;
    const shown = format.script === null ? text : scripted(text, format.script);
    content.inlines.push({ kind: 'text', text: shown, marks: format.marks, href: format.href });
  };
  for (const child of parent.children) {
    if (!isElement(child)) {
      // White space collapses to one space; line breaks and further spaces are elements.
      add(child.replace(/[\t\n\r ]+/g, ' '));
      continue;
    }
    const { name, attributes } = child;
    if (leftOut.has(name)) continue;
    if (isFrame(child)) {
      const { inlines, blocks } = readFrame(child, part);
      append(content.inlines, inlines);
      append(content.anchored, blocks);
      continue;
    }
    switch (name) {
      case 'text:s':
        add(' '.repeat(Math.min(1_000, Math.max(1, Number(attributes['text:c'] ?? 1) || 1))));
        break;
      case 'text:tab':
        add('\t');
        break;
      case 'text:line-break':
        content.inlines.push({ kind: 'break' });
        break;
      case 'text:soft-page-break':
        content.inlines.push({ kind: 'page', hard: false });
        break;
      case 'text:span':
        readInto(content, child, part, spanFormat(format, attributes['text:style-name'], part));
        break;
      case 'text:a': {
        const href = attributes['xlink:href'] ?? '';
        const isAddress = /^(?:https?|ftps?|mailto|tel):/i.test(href);
        readInto(content, child, part, { ...format, href: isAddress ? href : format.href });
        break;
      }
      case 'text:note':
        content.inlines.push(readNote(child, part));
        break;
      case 'office:annotation':
        part.leftOut.add('comments');
        break;
      case 'office:annotation-end':
        break;
      case 'text:ruby': {
        readInto(content, childOf(child, 'text:ruby-base') ?? child, part, format);
        const reading = textOf(childOf(child, 'text:ruby-text')).trim();
        if (reading !== '') add(`（${reading}）`);
        break;
      }
      case 'text:hidden-text':
      case 'text:hidden-paragraph':
        part.leftOut.add('hidden_text');
        break;
      default:
        readInto(content, child, part, format);
    }
  }
}

function spanFormat(format: Formatting, style: string | undefined, part: Part): Formatting {
  const script = part.styles.script(style) ?? format.script;
  return { ...format, script, marks: new Set([...format.marks, ...part.styles.text(style)]) };
}

function readNote(note: XmlElement, part: Part): Inline {
  const label = String(part.notes.length + 1);
  part.notes.push({ label, blocks: [] });
  const body = childOf(note, 'text:note-body');
  const blocks = body === undefined ? [] : part.readBlocks(body, part);
  part.notes[Number(label) - 1] = { label, blocks };
  return { kind: 'note', label };
}
