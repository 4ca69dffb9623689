/** The reading order of the shapes on a slide. */
import { inRows, type Place } from '../../document/rows.ts';
import { childOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import { alternativeOf } from '../package.ts';
import type { SlidePart } from './part.ts';
import { isTitle, modelsOf, placeholderOf } from './placeholder.ts';

interface Placed {
  shape: XmlElement;
  /** Null where neither the shape nor its layout and master have a position. */
  place: Place | null;
  isPlaceholder: boolean;
}

/** The shapes of a slide or group: the title first, then row by row from the left. */
export function shapesInOrder(tree: XmlElement | undefined, part: SlidePart): XmlElement[] {
  const placed = shapesOf(tree).map((shape): Placed => {
    const placeholder = placeholderOf(shape);
    return { shape, place: placeOf(shape, part), isPlaceholder: placeholder !== null };
  });
  const titles = placed.filter(({ shape }) => isTitle(placeholderOf(shape)));
  const others = placed.filter(({ shape }) => !isTitle(placeholderOf(shape)));
  // A slide of placeholders only has the order of its layout, including columns.
  const ordered = others.every(({ isPlaceholder }) => isPlaceholder) ? others : inRows(others);
  return [...titles, ...ordered].map(({ shape }) => shape);
}

function shapesOf(tree: XmlElement | undefined): XmlElement[] {
  return elementsOf(tree).flatMap((element) => {
    if (element.name === 'mc:AlternateContent') return shapesOf(alternativeOf(element));
    return ['p:sp', 'p:grpSp', 'p:graphicFrame', 'p:pic', 'p:cxnSp'].includes(element.name) ? [element] : [];
  });
}

function placeOf(shape: XmlElement, part: SlidePart): Place | null {
  const placeholder = placeholderOf(shape);
  for (const source of [shape, ...(placeholder === null ? [] : modelsOf(placeholder, part))]) {
    const frame =
      childOf(source, 'p:xfrm') ?? childOf(source, 'p:spPr', 'a:xfrm') ?? childOf(source, 'p:grpSpPr', 'a:xfrm');
    const [offset, extent] = [childOf(frame, 'a:off'), childOf(frame, 'a:ext')];
    const [x, y] = [Number(offset?.attributes.x), Number(offset?.attributes.y)];
    const height = Number(extent?.attributes.cy ?? 0);
    if (Number.isFinite(x) && Number.isFinite(y)) return { x, y, height: Number.isFinite(height) ? height : 0 };
  }
  return null;
}
