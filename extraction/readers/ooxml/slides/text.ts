/** Text of shapes and cells (ECMA-376 part 1, 21.1.2). */

import type { Block, Inline, ItemLabel, Mark } from '../../document/blocks.ts';
import { isVisible } from '../../document/blocks.ts';
import { monospaced } from '../../document/code.ts';
import { numeral } from '../../document/numerals.ts';
import { scripted } from '../../document/scripts.ts';
import { ommlToLatex } from '../../math/omml.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../../xml/parse.ts';
import { alternativeOf } from '../package.ts';
import type { SlidePart } from './part.ts';

/** Paragraphs and list items of a text body. `styles`: inherited list styles, nearest first. */
export function textBlocks(body: XmlElement | undefined, styles: readonly XmlElement[], part: SlidePart): Block[] {
  const own = childOf(body, 'a:lstStyle');
  const all = own === undefined ? styles : [own, ...styles];
  const counts: { number: number; type: string }[] = [];
  const blocks: Block[] = [];
  for (const paragraph of elementsOf(body, 'a:p')) {
    const content = readInlines(paragraph, part);
    if (!content.some(isVisible)) continue;
    const properties = childOf(paragraph, 'a:pPr');
    const level = Math.min(8, Math.max(0, Number(properties?.attributes.lvl ?? 0) || 0));
    const label = labelOf(properties, level, all, counts);
    if (label === null) blocks.push({ kind: 'paragraph', content });
    else blocks.push({ kind: 'item', level, label, content });
  }
  return blocks;
}

/** The bullet or number of a paragraph, or null. */
function labelOf(
  properties: XmlElement | undefined,
  level: number,
  styles: readonly XmlElement[],
  counts: { number: number; type: string }[],
): ItemLabel | null {
  const sources = [properties, ...styles.map((style) => childOf(style, `a:lvl${level + 1}pPr`))];
  const bullet = sources
    .flatMap((source) => elementsOf(source))
    .find(({ name }) => ['a:buNone', 'a:buChar', 'a:buAutoNum', 'a:buBlip'].includes(name));
  if (bullet === undefined || bullet.name === 'a:buNone') {
    counts.length = Math.min(counts.length, level);
    return null;
  }
  counts.length = Math.min(counts.length, level + 1);
  if (bullet.name !== 'a:buAutoNum') return { kind: 'bullet' };
  const type = bullet.attributes.type ?? 'arabicPeriod';
  const start = Number(bullet.attributes.startAt ?? 1) || 1;
  const last = counts[level];
  const number = last?.type === type ? last.number + 1 : start;
  counts[level] = { number, type };
  return numberLabel(number, type);
}

const formats: readonly [RegExp, string][] = [
  [/^alphaLc/, 'lowerLetter'],
  [/^alphaUc/, 'upperLetter'],
  [/^romanLc/, 'lowerRoman'],
  [/^romanUc/, 'upperRoman'],
  [/^circleNum/, 'decimalEnclosedCircle'],
  [/^ea1/, 'chineseCounting'],
];

function numberLabel(number: number, type: string): ItemLabel {
  const format = formats.find(([pattern]) => pattern.test(type))?.[1] ?? 'decimal';
  const text = numeral(number, format);
  if (type.endsWith('ParenBoth')) return { kind: 'literal', text: `(${text})` };
  const delimiter = type.endsWith('ParenR') ? ')' : '.';
  if (format === 'decimal') return { kind: 'number', number, delimiter };
  return { kind: 'literal', text: /Plain$|^circleNum/.test(type) ? text : `${text}${delimiter}` };
}

/** The content of a paragraph. */
export function readInlines(paragraph: XmlElement, part: SlidePart): Inline[] {
  return elementsOf(paragraph).flatMap((element): Inline[] => {
    switch (element.name) {
      case 'a:r':
        return [readRun(element, part)];
      case 'a:br':
        return [{ kind: 'break' }];
      case 'a:fld':
        return element.attributes.type === 'slidenum' ? [] : [readRun(element, part)];
      case 'mc:AlternateContent':
        return readInlines(alternativeOf(element) ?? element, part);
      case 'a14:m':
      case 'm:oMathPara':
        return readFormulas(element);
      case 'm:oMath':
        return formula(element, false);
      default:
        return [];
    }
  });
}

function readFormulas(element: XmlElement): Inline[] {
  const display = descendantsOf(element, 'm:oMathPara').length > 0 || element.name === 'm:oMathPara';
  return descendantsOf(element, 'm:oMath').flatMap((math) => formula(math, display));
}

function formula(math: XmlElement, display: boolean): Inline[] {
  const latex = ommlToLatex(math);
  return latex === '' ? [] : [{ kind: 'formula', latex, display }];
}

function readRun(run: XmlElement, part: SlidePart): Inline {
  const properties = childOf(run, 'a:rPr');
  const { attributes = {} } = properties ?? {};
  const marks = new Set<Mark>();
  if (isOn(attributes.b)) marks.add('bold');
  if (isOn(attributes.i)) marks.add('italic');
  if ((attributes.strike ?? 'noStrike') !== 'noStrike') marks.add('strike');
  const font = childOf(properties, 'a:latin')?.attributes.typeface ?? '';
  if (monospaced.test(font)) marks.add('code');
  const link = part.relationships.get(childOf(properties, 'a:hlinkClick')?.attributes['r:id'] ?? '');
  const href = link?.external === true && /^(?:https?|ftps?|mailto|tel):/i.test(link.target) ? link.target : null;
  const raise = Number(attributes.baseline ?? 0);
  // A line break within a title is a vertical tab.
  const text = textOf(childOf(run, 'a:t')).replace(/_x000B_|\v/g, ' ');
  return {
    kind: 'text',
    text: raise > 0 ? scripted(text, 'super') : raise < 0 ? scripted(text, 'sub') : text,
    marks,
    href,
  };
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}
