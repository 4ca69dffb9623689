/**
 * HTML made safe for DOM libraries, which hang or overflow on 100,000 nested or unclosed elements: parse5 builds the
 * tree (as browsers do, without recursion), then it is flattened, bounded and written out again.
 */
import { type DefaultTreeAdapterTypes, parse, serialize, html as standard } from 'parse5';
import { assertWithin, type Limits } from '../../limits.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Elements without text for readers. Templates hold copies of what scripts would show. */
const dropped = new Set(['script', 'style', 'template', 'iframe', 'object', 'embed', 'svg', 'canvas', 'dialog']);

/** Below this many characters a page without scripts shows what its noscript says. */
const fewCharacters = 250;
/** Data of scripts beyond this is not looked at. */
const mostData = 4 * 1024 * 1024;

export interface BoundedPage {
  html: string;
  /** Texts of its JSON-LD. */
  linkedData: string[];
  /** Texts of scripts that hold the page's data as JSON, or assign it to a variable. */
  state: string[];
  /** How many scripts it loads or runs. */
  scripts: number;
}

/**
 * The page with no more levels of elements than `limits.nesting`, without scripts, styles and comments. What was nested
 * deeper stands at the last level, its texts in order. @throws SourceError `extraction_limit` beyond the number of nodes
 */
export function boundedHtml(text: string, limits: Limits): string {
  return boundedPage(text, limits).html;
}

/** The same, with what its scripts hold as data. @throws SourceError `extraction_limit` beyond the number of nodes */
export function boundedPage(text: string, limits: Limits): BoundedPage {
  const document = parse(text, { scriptingEnabled: false });
  const page: BoundedPage = { html: '', linkedData: [], state: [], scripts: 0 };
  const without: { parent: Parent; node: DefaultTreeAdapterTypes.Element; depth: number }[] = [];
  let nodes = 0;
  let characters = 0;

  function bound(root: Parent, level: number): void {
    const pending: { node: Parent; depth: number }[] = [{ node: root, depth: level }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { node, depth } = next;
      node.childNodes =
        depth >= limits.nesting ? textsBelow(node) : node.childNodes.flatMap((child) => kept(child, node, depth));
      nodes += node.childNodes.length;
      assertWithin(limits, 'nodes', nodes);
      for (const child of node.childNodes) {
        child.parentNode = node;
        if ('childNodes' in child) pending.push({ node: child, depth: depth + 1 });
        else if ('value' in child && node.nodeName !== 'title') characters += child.value.trim().length;
      }
    }
  }

  function kept(node: Node, parent: Parent, depth: number): Node[] {
    if (node.nodeName === '#comment') return [];
    if (node.nodeName === 'noscript' && 'tagName' in node) {
      without.push({ parent, node, depth });
      return [];
    }
    if (node.nodeName === 'script' && 'tagName' in node) return readScript(node, page);
    return dropped.has(node.nodeName) ? [] : [node];
  }

  bound(document, 0);
  if (characters < fewCharacters) {
    for (const { parent, node, depth } of without.toReversed()) {
      node.nodeName = 'div';
      node.tagName = 'div';
      node.parentNode = parent;
      parent.childNodes.push(node);
      bound(node, depth + 1);
    }
  }
  page.html = serialize(document);
  return page;
}

/** Takes a script's data; what stays of it is a formula of MathJax. */
function readScript(script: DefaultTreeAdapterTypes.Element, page: BoundedPage): Node[] {
  const type = script.attrs.find(({ name }) => name === 'type')?.value.toLowerCase() ?? '';
  const text = script.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
  if (type.startsWith('math/tex')) {
    const display = type.includes('mode=display') ? [{ name: 'display', value: 'block' }] : [];
    script.nodeName = 'math';
    script.tagName = 'math';
    script.namespaceURI = standard.NS.MATHML;
    script.attrs = [{ name: 'alttext', value: text }, ...display];
    script.childNodes = [];
    return [script];
  }
  if (text.length > mostData) return [];
  if (type.includes('ld+json')) page.linkedData.push(text);
  else if (type.endsWith('json')) page.state.push(text);
  else {
    page.scripts += 1;
    const assigned = /^\s*(?:(?:window|self|globalThis)\.)?[\w$.]+\s*=\s*(?=[{[])/.exec(text.slice(0, 300));
    if (assigned !== null) page.state.push(text.slice(assigned[0].length).replace(/;?\s*$/, ''));
  }
  return [];
}

function textsBelow(root: Parent): Node[] {
  const texts: Node[] = [];
  const pending = root.childNodes.toReversed();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.nodeName === '#comment' || node.nodeName === 'noscript' || dropped.has(node.nodeName)) continue;
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) pending.push(child);
    else texts.push(node);
  }
  return texts;
}
