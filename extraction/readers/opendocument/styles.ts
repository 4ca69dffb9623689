/** Styles of OpenDocument: named styles, and automatic styles for direct formatting. */

import type { Mark } from '../document/blocks.ts';
import { monospaced } from '../document/code.ts';
import { childOf, elementsOf, type XmlElement } from '../xml/parse.ts';

export interface ParagraphStyle {
  role: 'title' | 'quote' | 'code' | 'rule' | 'body';
  /** Marks from direct formatting of the whole paragraph. */
  marks: ReadonlySet<Mark>;
  breaksBefore: boolean;
  breaksAfter: boolean;
  listStyle: string | null;
}

export interface ListLevel {
  /** "1", "a", "A", "i", "I", or "" for none; null for bullets. */
  format: string | null;
  prefix: string;
  suffix: string;
  start: number;
  /** Number of levels in the label; "1.2" has two. */
  shown: number;
}

export interface Styles {
  paragraph(name: string | undefined): ParagraphStyle;
  text(name: string | undefined): ReadonlySet<Mark>;
  /** Superscript or subscript of a style, or null. */
  script(name: string | undefined): 'super' | 'sub' | null;
  /** Level counts from 1. */
  list(name: string | null, level: number): ListLevel | null;
  outline(level: number): ListLevel | null;
  /** Whether slides with this style are hidden. */
  isHidden(name: string | undefined): boolean;
}

/** Reads the styles of a document. */
export function readStyles(content: XmlElement, styles: XmlElement | null): Styles {
  const byName = new Map<string, XmlElement>();
  const automatic = new Set<XmlElement>();
  const lists = new Map<string, XmlElement>();
  let outline: XmlElement | undefined;
  for (const root of [styles ?? undefined, content]) {
    for (const group of ['office:styles', 'office:automatic-styles']) {
      for (const style of elementsOf(childOf(root, group))) {
        const name = style.attributes['style:name'] ?? '';
        if (style.name === 'style:style') {
          byName.set(`${style.attributes['style:family']} ${name}`, style);
          if (group === 'office:automatic-styles') automatic.add(style);
        }
        if (style.name === 'text:list-style') lists.set(name, style);
        if (style.name === 'text:outline-style') outline = style;
      }
    }
  }
  /** The style and its parents, nearest first. */
  function chainOf(family: string, name: string | undefined): XmlElement[] {
    const chain: XmlElement[] = [];
    for (let next = name; next !== undefined && chain.length < 20; ) {
      const style = byName.get(`${family} ${next}`);
      if (style === undefined) break;
      chain.push(style);
      next = style.attributes['style:parent-style-name'];
    }
    return chain;
  }
  const paragraphs = new Map<string, ParagraphStyle>();
  return {
    paragraph(name = '') {
      const known = paragraphs.get(name) ?? paragraphStyle(name, chainOf('paragraph', name), automatic);
      paragraphs.set(name, known);
      return known;
    },
    text(name) {
      const chain = chainOf('text', name);
      const marks = marksOf(chain);
      if (chain.some((style) => /^source text$|code|^teletype$|^verbatim/i.test(readable(style.attributes))))
        marks.add('code');
      return marks;
    },
    script(name) {
      for (const style of chainOf('text', name)) {
        const position = childOf(style, 'style:text-properties')?.attributes['style:text-position'] ?? '';
        if (/^super|^[1-9]/.test(position)) return 'super';
        if (/^sub|^-/.test(position)) return 'sub';
      }
      return null;
    },
    list: (name, level) => levelOf(name === null ? undefined : lists.get(name), level),
    outline: (level) => levelOf(outline, level),
    isHidden: (name) =>
      chainOf('drawing-page', name).some(
        (style) => childOf(style, 'style:drawing-page-properties')?.attributes['presentation:visibility'] === 'hidden',
      ),
  };
}

/** A style's display name: "Preformatted Text" for "Preformatted_20_Text". */
function readable(attributes: Readonly<Record<string, string>>): string {
  return attributes['style:display-name'] ?? decodeName(attributes['style:name'] ?? '');
}

function decodeName(name: string): string {
  return name.replace(/_([0-9a-f]{2,4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function paragraphStyle(name: string, chain: XmlElement[], automatic: ReadonlySet<XmlElement>): ParagraphStyle {
  const names =
    chain.length > 0
      ? chain.filter((style) => !automatic.has(style)).map(({ attributes }) => readable(attributes))
      : [];
  // A built-in style that is not stored in the file is identified by its name.
  const parent = chain.at(-1)?.attributes['style:parent-style-name'];
  if (parent !== undefined) names.push(decodeName(parent));
  if (chain.length === 0) names.push(decodeName(name));
  const [own = ''] = names;
  const isCode = names.some((one) => /^preformatted text$|code|^listing$/i.test(one)) || marksOf(chain).has('code');
  const isQuote = names.some((one) => /^quotations?$|^block ?(?:quot|text)/i.test(one));
  const properties = chain.map((style) => childOf(style, 'style:paragraph-properties')?.attributes ?? {});
  const first = (attribute: string) => properties.find((one) => one[attribute] !== undefined)?.[attribute];
  const begins = chain.some(
    (style) => automatic.has(style) && (style.attributes['style:master-page-name'] ?? '') !== '',
  );
  return {
    role: /^horizontal line$/i.test(own)
      ? 'rule'
      : /^(?:title|titel)$/i.test(own)
        ? 'title'
        : isCode
          ? 'code'
          : isQuote
            ? 'quote'
            : 'body',
    marks: marksOf(chain.filter((style) => automatic.has(style))),
    breaksBefore: first('fo:break-before') === 'page' || begins,
    breaksAfter: first('fo:break-after') === 'page',
    listStyle:
      chain.map(({ attributes }) => attributes['style:list-style-name']).find((one) => one !== undefined) || null,
  };
}

function marksOf(chain: readonly XmlElement[]): Set<Mark> {
  const properties = chain.map((style) => childOf(style, 'style:text-properties')?.attributes ?? {});
  const first = (attribute: string) => properties.find((one) => one[attribute] !== undefined)?.[attribute] ?? '';
  const marks = new Set<Mark>();
  if (/^(?:bold|[6-9]00)$/.test(first('fo:font-weight'))) marks.add('bold');
  if (/^(?:italic|oblique)$/.test(first('fo:font-style'))) marks.add('italic');
  if (!['', 'none'].includes(first('style:text-line-through-style') || first('style:text-line-through-type')))
    marks.add('strike');
  if (monospaced.test(first('style:font-name')) || monospaced.test(first('fo:font-family'))) marks.add('code');
  return marks;
}

function levelOf(style: XmlElement | undefined, level: number): ListLevel | null {
  const found = elementsOf(style).find(({ attributes }) => attributes['text:level'] === String(level));
  if (found === undefined) return null;
  const { attributes } = found;
  const isNumbered = found.name === 'text:list-level-style-number' || found.name === 'text:outline-level-style';
  return {
    format: isNumbered ? (attributes['style:num-format'] ?? '') : null,
    prefix: attributes['style:num-prefix'] ?? '',
    suffix: attributes['style:num-suffix'] ?? '',
    start: Number(attributes['text:start-value'] ?? 1) || 1,
    shown: Math.min(level, Number(attributes['text:display-levels'] ?? 1) || 1),
  };
}
