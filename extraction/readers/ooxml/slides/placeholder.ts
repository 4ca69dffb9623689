/** Placeholders, which take over from the layout and the master what they do not say themselves (ECMA-376 part 1, 19.3.1.36). */
import { childOf, descendantsOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import type { SlidePart } from './part.ts';

export interface Placeholder {
  type: string;
  index: string | undefined;
}

/** Which placeholder a shape is, or null for one that an author drew. */
export function placeholderOf(shape: XmlElement): Placeholder | null {
  const properties = elementsOf(shape).find(({ name }) => /^p:nv\w+Pr$/.test(name));
  const placeholder = childOf(properties, 'p:nvPr', 'p:ph');
  return placeholder === undefined
    ? null
    : { type: placeholder.attributes.type ?? 'obj', index: placeholder.attributes.idx };
}

export function isTitle(placeholder: Placeholder | null): boolean {
  return placeholder?.type === 'title' || placeholder?.type === 'ctrTitle';
}

/** Date, footer and number, which stand on every slide. */
export function isFooter(placeholder: Placeholder | null): boolean {
  return ['dt', 'ftr', 'sldNum', 'hdr'].includes(placeholder?.type ?? '');
}

/** The shapes of layout and master that a placeholder is made after, nearest first. */
export function modelsOf(placeholder: Placeholder, { models }: SlidePart): XmlElement[] {
  return models.flatMap((model) => {
    const shapes = descendantsOf(model, 'p:sp').map((shape) => ({ shape, is: placeholderOf(shape) }));
    const found =
      shapes.find(({ is }) => is !== null && placeholder.index !== undefined && is.index === placeholder.index) ??
      shapes.find(({ is }) => is !== null && kindOf(is.type) === kindOf(placeholder.type));
    return found === undefined ? [] : [found.shape];
  });
}

/** Titles are of one kind, and so is all that takes a text. */
function kindOf(type: string): string {
  if (type === 'ctrTitle') return 'title';
  return ['obj', 'body', 'subTitle', 'tbl', 'chart', 'dgm', 'media', 'clipArt'].includes(type) ? 'body' : type;
}
