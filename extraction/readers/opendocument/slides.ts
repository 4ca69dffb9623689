/** An OpenDocument presentation -> Markdown, a section for each slide. */

import type { Reading } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { type Block, type Inline, isVisible, joinedLines } from '../document/blocks.ts';
import { inRows, type Place } from '../document/rows.ts';
import { type Slide, slideOf, speakerNotes } from '../document/slide.ts';
import { writeDocument } from '../document/write.ts';
import { childOf, elementsOf, type XmlElement } from '../xml/parse.ts';
import { isFrame, readFrame } from './frame.ts';
import { readContent } from './inline.ts';
import { bodyOf, openDocument } from './package.ts';
import type { Part } from './part.ts';
import { createPart } from './text.ts';

/** Reads an ODP. @throws SourceError `file_encrypted`, `file_damaged`, `extraction_limit` */
export async function readPresentation(bytes: Uint8Array, limits: Limits): Promise<Reading> {
  const opened = await openDocument(bytes, limits);
  const part = createPart(opened, limits);
  const slides = elementsOf(bodyOf(opened, 'office:presentation'), 'draw:page');
  assertWithin(limits, 'pages', slides.length);
  const read = slides.map((slide, at) => readSlide(slide, at + 1, part));
  const saysAnything = read.some(({ isTitled, blocks }) => isTitled || blocks.length > 0);
  const all = read.flatMap(({ heading, blocks }) => [heading, ...blocks]);
  const { markdown, starts } = writeDocument(saysAnything ? all : [], part.notes);
  const { title, language, about } = opened;
  return {
    markdown,
    title,
    languageHint: language,
    about,
    ...(slides.length === 0 ? {} : { parts: { unit: 'slide', starts: starts ?? [0] } }),
    warnings: part.leftOut.warnings(),
  };
}

function readSlide(slide: XmlElement, number: number, part: Part): Slide {
  const shapes = shapesOf(slide);
  const title = shapes.find(({ element }) => element.attributes['presentation:class'] === 'title');
  const others = shapes.filter((shape) => shape !== title);
  const isLaidOut = others.every(({ element }) => element.attributes['presentation:class'] !== undefined);
  const heading = title === undefined ? [] : titleOf(title.element, part);
  const isHidden = part.styles.isHidden(slide.attributes['draw:style-name']);
  if (isHidden) part.leftOut.add('hidden_slides');
  const body = (isLaidOut ? others : inRows(others)).flatMap(({ element }) => shapeBlocks(element, part));
  return slideOf(number, heading, isHidden, [...body, ...notesBlocks(slide, part)]);
}

/** The shapes of a slide or group, without header, footer, date and number, which are on every slide. */
function shapesOf(parent: XmlElement): { element: XmlElement; place: Place | null }[] {
  return elementsOf(parent)
    .filter((element) => isFrame(element) || element.name === 'table:table')
    .filter(
      ({ attributes }) => !/^(?:header|footer|date-time|page-number)$/.test(attributes['presentation:class'] ?? ''),
    )
    .map((element) => ({ element, place: placeOf(element) }));
}

function placeOf(element: XmlElement): Place | null {
  if (element.name === 'draw:g') {
    const inner = shapesOf(element).flatMap(({ place }) => (place === null ? [] : [place]));
    if (inner.length === 0) return null;
    const min = (numbers: number[]) => numbers.reduce((one, other) => Math.min(one, other));
    const y = min(inner.map((place) => place.y));
    const bottom = -min(inner.map((place) => -(place.y + place.height)));
    return { x: min(inner.map((place) => place.x)), y, height: bottom - y };
  }
  const { attributes } = element;
  const [x, y] = [
    lengthOf(attributes['svg:x'] ?? attributes['svg:x1']),
    lengthOf(attributes['svg:y'] ?? attributes['svg:y1']),
  ];
  return x === null || y === null ? null : { x, y, height: lengthOf(attributes['svg:height']) ?? 0 };
}

const millimetres: Readonly<Record<string, number>> = { mm: 1, cm: 10, in: 25.4, pt: 0.3528, pc: 4.233, px: 0.2646 };

/** A length in millimetres. */
function lengthOf(text: string | undefined): number | null {
  const [, value = '', unit = ''] = /^(-?[\d.]+)([a-z]{2})$/.exec(text ?? '') ?? [];
  const factor = millimetres[unit];
  const length = Number(value);
  return factor === undefined || value === '' || !Number.isFinite(length) ? null : length * factor;
}

function titleOf(frame: XmlElement, part: Part): Inline[] {
  const lines = elementsOf(childOf(frame, 'draw:text-box') ?? frame, 'text:p').map(
    (line) => readContent(line, part).inlines,
  );
  return joinedLines(lines);
}

function shapeBlocks(element: XmlElement, part: Part): Block[] {
  if (element.name === 'draw:g') return inRows(shapesOf(element)).flatMap((shape) => shapeBlocks(shape.element, part));
  // The prompt of an empty placeholder is only visible to the author.
  if (element.attributes['presentation:placeholder'] === 'true') return [];
  const { inlines, blocks } = readFrame(element, part);
  return inlines.length === 0 ? blocks : [{ kind: 'paragraph', content: inlines }, ...blocks];
}

function notesBlocks(slide: XmlElement, part: Part): Block[] {
  const frames = elementsOf(childOf(slide, 'presentation:notes'), 'draw:frame');
  const blocks = frames
    .filter(({ attributes }) => attributes['presentation:class'] === 'notes')
    .flatMap((frame) => shapeBlocks(frame, part))
    .filter((block) => block.kind !== 'paragraph' || block.content.some(isVisible));
  return speakerNotes(blocks);
}
