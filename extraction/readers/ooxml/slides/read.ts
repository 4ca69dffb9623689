/** A presentation -> Markdown, a section for each slide. */

import { append } from '../../../append.ts';
import type { Reading } from '../../../content.ts';
import { assertWithin, type Limits } from '../../../limits.ts';
import type { Block } from '../../document/blocks.ts';
import { createLeftOut, type LeftOut } from '../../document/left-out.ts';
import { type Slide, slideOf, speakerNotes } from '../../document/slide.ts';
import { writeDocument } from '../../document/write.ts';
import { childOf, descendantsOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import { drawingsOf, mainPart, openPackage, type Package, propertiesOf, type Relationships } from '../package.ts';
import type { SlidePart } from './part.ts';
import { placeholderOf } from './placeholder.ts';
import { readShapes } from './shapes.ts';
import { textBlocks } from './text.ts';

/** Reads a PPTX. @throws SourceError `file_encrypted`, `file_damaged`, `extraction_limit` */
export async function readSlides(bytes: Uint8Array, limits: Limits): Promise<Reading> {
  const opened = await openPackage(bytes, limits);
  const main = await mainPart(opened, 'ppt/presentation.xml');
  const presentation = (await opened.part(main)) ?? undefined;
  const relationships = await opened.relationships(main);
  const ids = elementsOf(childOf(presentation, 'p:sldIdLst'), 'p:sldId');
  assertWithin(limits, 'pages', ids.length);
  const leftOut = createLeftOut();
  const counted = { cells: 0 };
  const models = createModels(opened);
  const blocks: Block[] = [];
  let number = 0;
  let saysAnything = false;
  for (const { attributes } of ids) {
    const path = relationships.get(attributes['r:id'] ?? '')?.target;
    const root = path === undefined ? null : await opened.part(path);
    if (path === undefined || root === null) {
      leftOut.add('missing_parts');
      continue;
    }
    number += 1;
    const own = await opened.relationships(path);
    const part: SlidePart = {
      relationships: own,
      drawings: await drawingsOf(opened, own),
      models: await models(own),
      leftOut,
      limits,
      counted,
    };
    const slide = readSlide(root, number, part);
    const body = [...slide.blocks, ...(await notesBlocks(opened, part))];
    saysAnything ||= slide.isTitled || body.length > 0;
    append(blocks, [slide.heading, ...body]);
    await countComments(opened, own, leftOut);
  }
  const { markdown, starts } = writeDocument(saysAnything ? blocks : []);
  const { title, language, about } = await propertiesOf(opened);
  return {
    markdown,
    title,
    languageHint: language,
    about,
    parts: { unit: 'slide', starts: starts ?? [0] },
    warnings: leftOut.warnings(),
  };
}

function readSlide(root: XmlElement, number: number, part: SlidePart): Slide {
  const { title, blocks } = readShapes(childOf(root, 'p:cSld', 'p:spTree'), part);
  const isHidden = ['0', 'false'].includes(root.attributes.show ?? '');
  if (isHidden) part.leftOut.add('hidden_slides');
  return slideOf(number, title, isHidden, blocks);
}

async function notesBlocks(opened: Package, part: SlidePart): Promise<Block[]> {
  const target = [...part.relationships.values()].find(({ type }) => type === 'notesSlide')?.target;
  const root = target === undefined ? null : await opened.part(target);
  if (target === undefined || root === null) return [];
  const relationships = await opened.relationships(target);
  const bodies = descendantsOf(childOf(root, 'p:cSld', 'p:spTree'), 'p:sp').filter(
    (shape) => placeholderOf(shape)?.type === 'body',
  );
  return speakerNotes(
    bodies.flatMap((shape) => textBlocks(childOf(shape, 'p:txBody'), [], { ...part, relationships })),
  );
}

async function countComments(opened: Package, relationships: Relationships, leftOut: LeftOut): Promise<void> {
  for (const { type, target, external } of relationships.values()) {
    if (type !== 'comments' || external) continue;
    const comments = elementsOf((await opened.part(target)) ?? undefined);
    leftOut.add('comments', comments.filter(({ name }) => name.endsWith(':cm')).length);
  }
}

/** A cached reader of the layout and the master of a slide. */
function createModels(opened: Package): (relationships: Relationships) => Promise<XmlElement[]> {
  const known = new Map<string, XmlElement[]>();
  async function modelsOf(relationships: Relationships): Promise<XmlElement[]> {
    const target = [...relationships.values()].find(
      ({ type }) => type === 'slideLayout' || type === 'slideMaster',
    )?.target;
    if (target === undefined) return [];
    const found = known.get(target);
    if (found !== undefined) return found;
    // Without a damaged layout only positions and bullets are missing.
    const root = await opened.part(target).catch(() => null);
    known.set(target, root === null ? [] : [root]);
    const above = root?.name === 'p:sldLayout' ? await modelsOf(await opened.relationships(target)) : [];
    const models = root === null ? [] : [root, ...above];
    known.set(target, models);
    return models;
  }
  return modelsOf;
}
