/** Frames and shapes: pictures, text boxes, formulas, charts and drawings. */
import { posix } from 'node:path';
import { cleanAltText } from '../document/alt-text.ts';
import type { Block, Inline } from '../document/blocks.ts';
import { oneLine } from '../document/inline.ts';
import { mathmlToLatex } from '../math/mathml.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';
import type { Part } from './part.ts';
import { readTable } from './table.ts';

interface Drawn {
  inlines: Inline[];
  blocks: Block[];
}

/** True for a frame or shape. */
export function isFrame({ name }: XmlElement): boolean {
  return name.startsWith('draw:') && name !== 'draw:page' && name !== 'draw:layer-set';
}

/** The content of a frame or shape. */
export function readFrame(frame: XmlElement, part: Part): Drawn {
  if (frame.name === 'draw:a') {
    const inner = elementsOf(frame)
      .filter(isFrame)
      .map((child) => readFrame(child, part));
    return { inlines: inner.flatMap(({ inlines }) => inlines), blocks: inner.flatMap(({ blocks }) => blocks) };
  }
  if (frame.name === 'draw:g') {
    const inner = elementsOf(frame)
      .filter(isFrame)
      .map((child) => readFrame(child, part));
    return { inlines: inner.flatMap(({ inlines }) => inlines), blocks: inner.flatMap(({ blocks }) => blocks) };
  }
  const alt = altOf(frame);
  // Of several contents, programs show the first supported one; the others are fallbacks.
  const box = childOf(frame, 'draw:text-box');
  if (box !== undefined) return { inlines: [], blocks: part.readBlocks(box, part) };
  const table = childOf(frame, 'table:table');
  if (table !== undefined) return { inlines: [], blocks: [readTable(table, part)] };
  const object = childOf(frame, 'draw:object');
  if (object !== undefined) return readObject(object, alt, part);
  const image = childOf(frame, 'draw:image');
  if (image !== undefined) return readImage(image, alt, part);
  if (childOf(frame, 'draw:object-ole') !== undefined) part.leftOut.add('embedded_objects');
  const blocks = part.readBlocks(frame, part);
  if (blocks.length > 0 || alt === '') return { inlines: [], blocks };
  return { inlines: [{ kind: 'text', text: alt, marks: new Set(['italic']), href: null }], blocks: [] };
}

function readImage(image: XmlElement, alt: string, part: Part): Drawn {
  if (alt === '') {
    part.leftOut.add('images_without_text');
    return { inlines: [], blocks: [] };
  }
  const source = posix.basename(image.attributes['xlink:href'] ?? '') || 'image';
  return { inlines: [{ kind: 'image', alt, source }], blocks: [] };
}

function readObject(object: XmlElement, alt: string, part: Part): Drawn {
  const inside = elementsOf(object)[0];
  const root = part.objects.get(object.attributes['xlink:href'] ?? '') ?? inside;
  if (root !== undefined && /(?:^|:)math$/.test(root.name)) {
    const latex = mathmlToLatex(root);
    const display = root.attributes.display === 'block';
    return { inlines: latex === '' ? [] : [{ kind: 'formula', latex, display }], blocks: [] };
  }
  const chart = childOf(root, 'office:body', 'office:chart', 'chart:chart');
  if (chart !== undefined) return { inlines: [], blocks: chartBlocks(chart, part) };
  const sheets = elementsOf(childOf(root, 'office:body', 'office:spreadsheet'), 'table:table');
  if (sheets.length > 0) return { inlines: [], blocks: sheets.map((sheet) => readTable(sheet, part)) };
  part.leftOut.add('embedded_objects');
  return {
    inlines: alt === '' ? [] : [{ kind: 'text', text: alt, marks: new Set(['italic']), href: null }],
    blocks: [],
  };
}

/** A chart as its title and a table of its values. */
function chartBlocks(chart: XmlElement, part: Part): Block[] {
  const title = oneLine(descendantsOf(childOf(chart, 'chart:title'), 'text:p').map(textOf).join(' '));
  const blocks: Block[] =
    title === ''
      ? []
      : [{ kind: 'paragraph', content: [{ kind: 'text', text: title, marks: new Set(['bold']), href: null }] }];
  const table = childOf(chart, 'table:table');
  if (table === undefined) part.leftOut.add('charts_without_data');
  else blocks.push(readTable(table, part));
  return blocks;
}

/** The description of a frame, else its title. */
function altOf(frame: XmlElement): string {
  return cleanAltText(textOf(childOf(frame, 'svg:desc'))) || cleanAltText(textOf(childOf(frame, 'svg:title')));
}
