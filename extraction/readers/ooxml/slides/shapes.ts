/** The shapes of a slide -> blocks. */

import { posix } from 'node:path';
import { append } from '../../../append.ts';
import { assertWithin } from '../../../limits.ts';
import { cleanAltText } from '../../document/alt-text.ts';
import type { Block, Cell, Inline } from '../../document/blocks.ts';
import { joinedLines, plainTextOf } from '../../document/blocks.ts';
import { childOf, descendantsOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import { chartBlocks } from '../chart.ts';
import { diagramBlocks } from '../diagram.ts';
import { shapesInOrder } from './order.ts';
import type { SlidePart } from './part.ts';
import { isFooter, isTitle, modelsOf, placeholderOf } from './placeholder.ts';
import { readInlines, textBlocks } from './text.ts';

export interface SlideContent {
  title: Inline[];
  blocks: Block[];
}

/** The title of a slide and its other blocks in reading order. @throws SourceError `extraction_limit` beyond `cells` */
export function readShapes(tree: XmlElement | undefined, part: SlidePart): SlideContent {
  const content: SlideContent = { title: [], blocks: [] };
  for (const shape of shapesInOrder(tree, part)) {
    const placeholder = placeholderOf(shape);
    if (isHidden(shape)) continue;
    if (isFooter(placeholder)) {
      if (placeholder?.type === 'ftr' && descendantsOf(shape, 'a:t').length > 0)
        part.leftOut.add('headers_and_footers');
      continue;
    }
    if (isTitle(placeholder) && content.title.length === 0) content.title = titleOf(shape, part);
    else append(content.blocks, shapeBlocks(shape, part));
  }
  return content;
}

function titleOf(shape: XmlElement, part: SlidePart): Inline[] {
  const lines = elementsOf(childOf(shape, 'p:txBody'), 'a:p').map((line) => readInlines(line, part));
  return joinedLines(lines);
}

function shapeBlocks(shape: XmlElement, part: SlidePart): Block[] {
  switch (shape.name) {
    case 'p:grpSp':
      return groupBlocks(shape, part);
    case 'p:pic':
      return pictureBlocks(shape, part);
    case 'p:graphicFrame':
      return frameBlocks(shape, part);
    default:
      return textShapeBlocks(shape, part);
  }
}

function groupBlocks(group: XmlElement, part: SlidePart): Block[] {
  const blocks = readShapes(group, part);
  const all = [...titleBlock(blocks.title), ...blocks.blocks];
  return all.length > 0 ? all : described(group);
}

function titleBlock(title: Inline[]): Block[] {
  return title.length === 0 ? [] : [{ kind: 'paragraph', content: title }];
}

function textShapeBlocks(shape: XmlElement, part: SlidePart): Block[] {
  const placeholder = placeholderOf(shape);
  const takesBullets = placeholder !== null && ['obj', 'body'].includes(placeholder.type);
  const models = placeholder === null ? [] : modelsOf(placeholder, part);
  const master = takesBullets ? part.models.map((model) => childOf(model, 'p:txStyles', 'p:bodyStyle')) : [];
  const styles = [...models.map((model) => childOf(model, 'p:txBody', 'a:lstStyle')), ...master];
  const blocks = textBlocks(
    childOf(shape, 'p:txBody'),
    styles.filter((style) => style !== undefined),
    part,
  );
  return blocks.length > 0 ? blocks.map(codeOf) : described(shape);
}

/** A paragraph in a monospaced font as a code block; another block unchanged. */
function codeOf(block: Block): Block {
  if (block.kind !== 'paragraph') return block;
  const isCode = block.content.every(
    (inline) => inline.kind === 'break' || (inline.kind === 'text' && inline.marks.has('code') && inline.href === null),
  );
  return isCode ? { kind: 'code', text: plainTextOf(block.content).replaceAll('\u00a0', ' '), language: '' } : block;
}

function pictureBlocks(picture: XmlElement, part: SlidePart): Block[] {
  const alt = altOf(picture);
  if (alt === '') {
    if (!isDecorative(picture)) part.leftOut.add('images_without_text');
    return [];
  }
  const id = descendantsOf(picture, 'a:blip')[0]?.attributes['r:embed'] ?? '';
  const source = posix.basename(part.relationships.get(id)?.target ?? '') || 'image';
  return [{ kind: 'paragraph', content: [{ kind: 'image', alt, source }] }];
}

function frameBlocks(frame: XmlElement, part: SlidePart): Block[] {
  const data = childOf(frame, 'a:graphic', 'a:graphicData');
  const table = childOf(data, 'a:tbl');
  if (table !== undefined) return [readTable(table, part), ...described(frame)];
  const chart = childOf(data, 'c:chart') ?? childOf(data, 'cx:chart');
  const diagram = childOf(data, 'dgm:relIds');
  const root = part.drawings.get(chart?.attributes['r:id'] ?? diagram?.attributes['r:dm'] ?? '');
  if (root !== undefined) {
    return [...(chart === undefined ? diagramBlocks(root) : chartBlocks(root, part.leftOut)), ...described(frame)];
  }
  part.leftOut.add('embedded_objects');
  return described(frame);
}

function readTable(table: XmlElement, part: SlidePart): Block {
  const rows = elementsOf(table, 'a:tr').map((row) =>
    elementsOf(row, 'a:tc').map((cell): Cell => {
      part.counted.cells += 1;
      assertWithin(part.limits, 'cells', part.counted.cells);
      const { gridSpan, rowSpan, hMerge, vMerge } = cell.attributes;
      const continues = hMerge === '1' || vMerge === '1' || hMerge === 'true' || vMerge === 'true';
      if (!continues && (Number(gridSpan ?? 1) > 1 || Number(rowSpan ?? 1) > 1)) part.leftOut.add('merged_cells');
      return { blocks: textBlocks(childOf(cell, 'a:txBody'), [], part), columns: 1, continues };
    }),
  );
  return { kind: 'table', rows };
}

/** The alternative text of a shape. */
function described(shape: XmlElement): Block[] {
  const text = altOf(shape);
  if (text === '') return [];
  return [{ kind: 'paragraph', content: [{ kind: 'text', text, marks: new Set(['italic']), href: null }] }];
}

function ownProperties(shape: XmlElement): XmlElement | undefined {
  return childOf(
    elementsOf(shape).find(({ name }) => /^p:nv\w+Pr$/.test(name)),
    'p:cNvPr',
  );
}

function altOf(shape: XmlElement): string {
  const { descr, title } = ownProperties(shape)?.attributes ?? {};
  return cleanAltText(descr) || cleanAltText(title);
}

function isHidden(shape: XmlElement): boolean {
  return ['1', 'true'].includes(ownProperties(shape)?.attributes.hidden ?? '');
}

function isDecorative(shape: XmlElement): boolean {
  return descendantsOf(ownProperties(shape), 'adec:decorative').some(({ attributes }) => attributes.val === '1');
}
