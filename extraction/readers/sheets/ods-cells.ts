/** Cells of an OpenDocument table (ISO 26300 part 3, 9.1). Each stores its displayed text and its value. */
import { childOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';
import { commentText, type SheetCell, webAddress } from './sheet.ts';

/** The displayed content of a cell, or null for an empty one. `uncomputed`: a formula without a result. */
export function odsCell(element: XmlElement): { cell: SheetCell; uncomputed: boolean } | null {
  const { attributes } = element;
  const type = attributes['calcext:value-type'] ?? attributes['office:value-type'] ?? attributes['table:value-type'];
  const lines = elementsOf(element, 'text:p').map(shownText);
  const written = lines.join('\n');
  const comments = elementsOf(element, 'office:annotation')
    .map((note) => {
      const text = elementsOf(note, 'text:p').map(shownText).join('\n');
      return commentText(textOf(childOf(note, 'dc:creator')), text);
    })
    .filter((comment) => comment !== '');
  const text = valueText(type, attributes, written);
  const formula = attributes['table:formula'];
  const uncomputed = text === '' && formula !== undefined && type === undefined;
  const shown = uncomputed ? writtenFormula(formula) : text;
  if (shown.trim() === '' && comments.length === 0) return null;
  return { cell: { kind: kindOf(type, written), text: shown, link: linkOf(element), comments }, uncomputed };
}

/** A formula for display: "A1" for OpenFormula's "[.A1]". */
function writtenFormula(formula: string): string {
  const bare = formula.replace(/^[a-z]+:=?|^=/, '');
  return `=${bare.replace(/\[([^[\]]*)\]/g, (_, reference: string) => reference.replace(/(^|:)\./g, '$1'))}`;
}

function kindOf(type: string | undefined, written: string): SheetCell['kind'] {
  switch (type) {
    case 'float':
    case 'percentage':
    case 'currency':
    case 'time':
      return 'number';
    case 'date':
      return 'date';
    case 'boolean':
      return 'boolean';
    case 'error':
      return 'error';
    default:
      return /^(?:#[A-Z]+[/!?0A-Z]*|Err:\d{3})$/.test(written) ? 'error' : 'text';
  }
}

/** The displayed text, with dates in ISO 8601; derived from the value where no text is stored. */
function valueText(type: string | undefined, attributes: XmlElement['attributes'], written: string): string {
  const value = attributes['office:value'] ?? '';
  switch (type) {
    case 'date':
      return dateText(attributes['office:date-value'] ?? '', written);
    case 'boolean':
      return (attributes['office:boolean-value'] ?? written).toUpperCase();
    case 'time':
      return written || durationText(attributes['office:time-value'] ?? '');
    case 'percentage':
      return written || (value === '' ? '' : `${Number((Number(value) * 100).toPrecision(12))}%`);
    case 'currency':
      return written || `${value} ${attributes['office:currency'] ?? ''}`.trim();
    default:
      return written || value || (attributes['office:string-value'] ?? '');
  }
}

/** A date, with its time of day where the sheet shows one. */
function dateText(value: string, written: string): string {
  const [, day, time = '', seconds = ''] =
    /^([+-]?\d{4,}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.\d+)?Z?)?$/.exec(value) ?? [];
  if (day === undefined) return written;
  const hasTime =
    time !== '' && `${time}${seconds || ':00'}` !== '00:00:00' && (written === '' || /\d[:.h]\d/.test(written));
  return hasTime ? `${day} ${time}${seconds === ':00' ? '' : seconds}` : day;
}

/** A duration (XML Schema part 2, 3.2.6) as hours, minutes and, if not zero, seconds. */
function durationText(value: string): string {
  const [found, hours = '0', minutes = '0', seconds = '0'] =
    /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?$/.exec(value) ?? [];
  if (found === undefined) return value;
  const parts = Number(seconds) === 0 ? [hours, minutes] : [hours, minutes, seconds];
  return parts.map((part) => part.padStart(2, '0')).join(':');
}

/** The displayed text of a paragraph: white space is collapsed, further spaces are elements. */
function shownText(paragraph: XmlElement): string {
  let text = '';
  for (const node of paragraph.children) {
    if (typeof node === 'string') text += node.replace(/\s+/g, ' ');
    else if (node.name === 'text:s')
      text += ' '.repeat(Math.min(100, Math.max(1, Number(node.attributes['text:c'] ?? 1) || 1)));
    else if (node.name === 'text:tab') text += '\t';
    else if (node.name === 'text:line-break') text += '\n';
    else if (node.name !== 'office:annotation') text += shownText(node);
  }
  return text;
}

/** The first link in a cell. */
function linkOf(cell: XmlElement): string | null {
  for (const paragraph of elementsOf(cell, 'text:p')) {
    const link = childOf(paragraph, 'text:a') ?? childOf(paragraph, 'text:span', 'text:a');
    if (link !== undefined) return webAddress(link.attributes['xlink:href']);
  }
  return null;
}
