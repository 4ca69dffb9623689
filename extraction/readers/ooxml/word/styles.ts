/** Paragraph and character styles of a Word document, with inheritance from the styles they are based on. */

import type { Mark } from '../../document/blocks.ts';
import { monospaced } from '../../document/code.ts';
import { childOf, elementsOf, type XmlElement } from '../../xml/parse.ts';

export interface ParagraphStyle {
  /** 0 for the document's title, 1 to 9 for headings. */
  heading: number | null;
  role: 'title' | 'quote' | 'code' | 'list' | 'body';
  numbering: { id: string; level: number } | null;
}

export interface Styles {
  paragraph(id: string | undefined): ParagraphStyle;
  /** The marks that a character style sets. */
  run(id: string | undefined): ReadonlySet<Mark>;
  /** The numbering of a list style. */
  listNumbering(id: string): string | undefined;
}

const body: ParagraphStyle = { heading: null, role: 'body', numbering: null };
/** Heading names, also in other languages: Word itself stores the English names in the file. */
const headingName =
  /^(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|заголовок|başlık|見出し|标题|標題|제목)\s?([1-9])$/i;
const roles: readonly [RegExp, ParagraphStyle['role']][] = [
  [/^(?:title|titel|titre du document|表題)$/i, 'title'],
  [/^(?:intense quote|quote|quotations?|block text|zitat|citation)$/i, 'quote'],
  [/code|^(?:html preformatted|preformatted text|macro text|listing)$|^(?:source|verbatim)\b/i, 'code'],
  [/^list (?:paragraph|continue)/i, 'list'],
];
/** Reads styles.xml; without one every style is plain. */
export function readStyles(root: XmlElement | null): Styles {
  const byId = new Map<string, XmlElement>();
  for (const style of elementsOf(root ?? undefined, 'w:style')) {
    const id = style.attributes['w:styleId'];
    if (id !== undefined) byId.set(id, style);
  }
  const paragraphs = new Map<string, ParagraphStyle>();
  const runs = new Map<string, ReadonlySet<Mark>>();

  /** The style and the styles it is based on, nearest first. */
  function chainOf(id: string | undefined): XmlElement[] {
    const chain: XmlElement[] = [];
    for (let next = id; next !== undefined && chain.length < 20; ) {
      const style = byId.get(next);
      if (style === undefined) break;
      chain.push(style);
      next = childOf(style, 'w:basedOn')?.attributes['w:val'];
    }
    return chain;
  }
  return {
    paragraph(id) {
      if (id === undefined) return body;
      const known = paragraphs.get(id) ?? paragraphStyle(chainOf(id));
      paragraphs.set(id, known);
      return known;
    },
    run(id) {
      if (id === undefined) return new Set();
      const known = runs.get(id) ?? runStyle(chainOf(id));
      runs.set(id, known);
      return known;
    },
    listNumbering: (id) => childOf(byId.get(id), 'w:pPr', 'w:numPr', 'w:numId')?.attributes['w:val'],
  };
}

function paragraphStyle(chain: XmlElement[]): ParagraphStyle {
  const style: ParagraphStyle = { ...body };
  let level: number | undefined;
  let decided = false;
  for (const element of chain) {
    const name = childOf(element, 'w:name')?.attributes['w:val']?.trim() ?? '';
    const role = roles.find(([pattern]) => pattern.test(name))?.[1];
    // Styles of subtitles, authors and dates are often based on the title's style.
    if (role === 'title' && element !== chain[0]) break;
    const isCode = marksOf(childOf(element, 'w:rPr')).has('code');
    if (style.role === 'body') style.role = role ?? (isCode ? 'code' : 'body');
    const properties = childOf(element, 'w:pPr');
    const numbering = childOf(properties, 'w:numPr');
    level ??= numberOf(childOf(numbering, 'w:ilvl'));
    const id = childOf(numbering, 'w:numId')?.attributes['w:val'];
    // Built-in styles such as "List Bullet 2" have separate lists, whose depth is only in the name.
    const depth = Number(/^list (?:bullet|number|continue) ([2-5])$/i.exec(name)?.[1] ?? 1) - 1;
    if (style.numbering === null && id !== undefined) style.numbering = { id, level: level || depth };
    if (decided) continue;
    const outline = numberOf(childOf(properties, 'w:outlineLvl'));
    const named = headingName.exec(name)?.[1];
    if (outline !== undefined) style.heading = outline < 9 ? outline + 1 : null;
    else if (named !== undefined) style.heading = Number(named);
    else if (role === 'title') style.heading = 0;
    else continue;
    decided = true;
  }
  return style;
}

function runStyle(chain: XmlElement[]): ReadonlySet<Mark> {
  const marks = new Set<Mark>();
  const decided = new Set<Mark>();
  for (const element of chain) {
    for (const [mark, isOn] of marksOf(childOf(element, 'w:rPr'))) {
      if (!decided.has(mark) && isOn) marks.add(mark);
      decided.add(mark);
    }
    const name = childOf(element, 'w:name')?.attributes['w:val'] ?? '';
    if (/\bcode\b|^verbatim|^html (?:code|typewriter|keyboard|sample)|^source text$/i.test(name)) marks.add('code');
  }
  return marks;
}

/** The marks that run properties set (true) or reset (false). */
export function marksOf(properties: XmlElement | undefined): Map<Mark, boolean> {
  const marks = new Map<Mark, boolean>();
  for (const element of elementsOf(properties)) {
    if (element.name === 'w:b') marks.set('bold', isOn(element));
    if (element.name === 'w:i') marks.set('italic', isOn(element));
    if (element.name === 'w:strike' || element.name === 'w:dstrike') marks.set('strike', isOn(element));
    if (element.name === 'w:rFonts' && monospaced.test(element.attributes['w:ascii'] ?? '')) marks.set('code', true);
  }
  return marks;
}

/** Whether a toggle property is present and not off. */
export function isOn(element: XmlElement | undefined): boolean {
  return element !== undefined && !['0', 'false', 'off', 'none'].includes(element.attributes['w:val'] ?? '');
}

/** The number in an element's `w:val`. */
export function numberOf(element: XmlElement | undefined): number | undefined {
  const value = Number(element?.attributes['w:val'] ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
