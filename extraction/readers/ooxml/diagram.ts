/** SmartArt (ECMA-376 part 1, 21.4) -> a nested list. */
import { type Block, type Inline, plain } from '../document/blocks.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';

/** The texts of a diagram's data part as a list; its connections define order and depth. */
export function diagramBlocks(root: XmlElement): Block[] {
  const points = new Map<string, XmlElement>();
  let top: string | undefined;
  for (const point of elementsOf(childOf(root, 'dgm:ptLst'), 'dgm:pt')) {
    const id = point.attributes.modelId ?? '';
    points.set(id, point);
    if (point.attributes.type === 'doc') top ??= id;
  }
  const children = new Map<string, { id: string; order: number }[]>();
  for (const { attributes } of elementsOf(childOf(root, 'dgm:cxnLst'), 'dgm:cxn')) {
    if ((attributes.type ?? 'parOf') !== 'parOf') continue;
    const [source = '', id = ''] = [attributes.srcId, attributes.destId];
    children.set(source, [...(children.get(source) ?? []), { id, order: Number(attributes.srcOrd ?? 0) }]);
  }
  const blocks: Block[] = [];
  const seen = new Set<string>();
  const pending = [{ id: top ?? '', level: -1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { id, level } = next;
    if (seen.has(id)) continue;
    seen.add(id);
    const content = textOfPoint(points.get(id));
    if (content.length > 0)
      blocks.push({ kind: 'item', level: Math.max(0, level), label: { kind: 'bullet' }, content });
    const below = (children.get(id) ?? []).toSorted((one, other) => other.order - one.order);
    pending.push(
      ...below.map((child) => ({ id: child.id, level: content.length > 0 ? level + 1 : Math.max(0, level) })),
    );
  }
  return blocks;
}

function textOfPoint(point: XmlElement | undefined): Inline[] {
  if (point?.attributes.type === 'pres') return [];
  const lines = descendantsOf(childOf(point, 'dgm:t'), 'a:p')
    .map((line) => descendantsOf(line, 'a:t').map(textOf).join('').trim())
    .filter((line) => line !== '');
  return lines.flatMap((line, at): Inline[] => (at === 0 ? [plain(line)] : [{ kind: 'break' }, plain(line)]));
}
