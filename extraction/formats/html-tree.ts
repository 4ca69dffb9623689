/**
 * HTML made safe for DOM libraries, which hang or overflow on 100,000 nested or unclosed elements: parse5 builds the
 * tree (as browsers do, without recursion), then it is flattened, bounded and written out again.
 */
import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5';
import { SourceError } from '../../contract/errors.ts';
import { maxHtmlNodes } from '../limits.ts';

const maxDepth = 200;

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
 * The page with at most 200 levels of elements, without scripts, styles and comments. What was nested deeper stands
 * at the last level, its texts in order. Throws SourceError `extraction_limit` beyond the number of nodes.
 */
export function boundedHtml(text: string): string {
  const document = parse(text);
  const pending: { node: DefaultTreeAdapterTypes.ParentNode; depth: number }[] = [{ node: document, depth: 0 }];
  let nodes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    node.childNodes = depth >= maxDepth ? textsBelow(node) : node.childNodes.filter(isKept);
    nodes += node.childNodes.length;
    if (nodes > maxHtmlNodes) {
      throw new SourceError('extraction_limit', `The page has more than ${maxHtmlNodes} elements.`);
    }
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
