/** Placeholders, which inherit missing properties from the layout and the master (ECMA-376 part 1, 19.3.1.36). */
import { childOf, descendantsOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import type { SlidePart } from './part.ts';

export interface Placeholder {
  type: string;
  index: string | undefined;
}

/** The placeholder of a shape, or null for a shape that is not a placeholder. */
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

/** True for date, footer and slide number, which are on every slide. */
export function isFooter(placeholder: Placeholder | null): boolean {
  return ['dt', 'ftr', 'sldNum', 'hdr'].includes(placeholder?.type ?? '');
}

/** The shapes of layout and master from which a placeholder inherits, nearest first. */
export function modelsOf(placeholder: Placeholder, { models }: SlidePart): XmlElement[] {
  return models.flatMap((model) => {
    const shapes = descendantsOf(model, 'p:sp').map((shape) => ({ shape, is: placeholderOf(shape) }));
    const found =
      shapes.find(({ is }) => is !== null && placeholder.index !== undefined && is.index === placeholder.index) ??
      shapes.find(({ is }) => is !== null && kindOf(is.type) === kindOf(placeholder.type));
    return found === undefined ? [] : [found.shape];
  });
}

/** The kind of a placeholder type: all titles are one kind, and all text placeholders are one. */
function kindOf(type: string): string {
  if (type === 'ctrTitle') return 'title';
  return ['obj', 'body', 'subTitle', 'tbl', 'chart', 'dgm', 'media', 'clipArt'].includes(type) ? 'body' : type;
}
