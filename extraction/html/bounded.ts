/**
 * HTML made safe for DOM libraries, which hang or overflow on 100,000 nested or unclosed elements: parse5 builds the
 * tree (as browsers do, without recursion), then it is flattened, bounded and written out again.
 */
import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5';
import { assertWithin, type Limits } from '../limits.ts';

/** Elements without text for readers. Templates and noscript hold copies of what scripts would show. */
const dropped = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  'object',
  'embed',
  'svg',
  'canvas',
  'link',
  'dialog',
]);

/**
 * The page with no more levels of elements than `limits.nesting`, without scripts, styles and comments. What was nested
 * deeper stands at the last level, its texts in order. @throws SourceError `extraction_limit` beyond the number of nodes
 */
export function boundedHtml(text: string, limits: Limits): string {
  const document = parse(text);
  const pending: { node: DefaultTreeAdapterTypes.ParentNode; depth: number }[] = [{ node: document, depth: 0 }];
  let nodes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    node.childNodes = depth >= limits.nesting ? textsBelow(node) : node.childNodes.filter(isKept);
    nodes += node.childNodes.length;
    assertWithin(limits, 'nodes', nodes);
    for (const child of node.childNodes) {
      child.parentNode = node;
      if ('childNodes' in child) pending.push({ node: child, depth: depth + 1 });
    }
  }
  return serialize(document);
}

function isKept(node: DefaultTreeAdapterTypes.ChildNode): boolean {
  return node.nodeName !== '#comment' && !dropped.has(node.nodeName);
}

function textsBelow(root: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.ChildNode[] {
  const texts: DefaultTreeAdapterTypes.ChildNode[] = [];
  const pending = root.childNodes.toReversed();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!isKept(node)) continue;
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) pending.push(child);
    else texts.push(node);
  }
  return texts;
}
