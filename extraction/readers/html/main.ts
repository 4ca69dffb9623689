/**
 * The part of a page that the page is about. Readability says where it stands; what is taken is the page's own
 * elements there, with the tables, lists and code that Readability leaves out of it. Where Readability finds a fragment
 * of what there is (documentation, discussions, lists of entries), it is the whole main part.
 */
import { Readability } from '@mozilla/readability';
import { removeBoilerplate } from './boilerplate.ts';
import { isDiscussion } from './discussion.ts';
import { type DomDocument, type DomElement, lineOf } from './dom.ts';
import { removeLinkBlocks, removeSetOffLinks } from './link-blocks.ts';
import { removeTeasers } from './teasers.ts';
import { linkShare, ownText, proseText, type Weights, weigh } from './weight.ts';
import { words } from './words.ts';

const mark = 'data-n';
/** Below this many letters an article is taken for a fragment that was found by mistake. */
const shortArticle = 250;
/** From this many on it is the main part where it holds the prose of the page. */
const longArticle = 800;
/** Share of the main part's own text that an article has, or it is a fragment. */
const mostOfDeclared = 0.7;
const mostOfBody = 0.4;

/** Changes the document: what it returns is its body, holding the main content alone. */
export function mainContent(
  document: DomDocument,
  told: { url: string | null; types: ReadonlySet<string> },
): DomElement {
  const { body } = document;
  const discussion = isDiscussion(document, told);
  const whole = body.innerHTML;
  removeBoilerplate(document, discussion);
  if (lineOf(body) === '') body.innerHTML = whole;
  if (!discussion) removeTeasers(document, told.url);
  removeSetOffLinks(document);
  let number = 0;
  for (const element of document.querySelectorAll('body *')) {
    element.setAttribute(mark, String(number));
    number += 1;
  }

  const weights = weigh(body);
  const region = regionOf(document, weights);
  const found = foundByReadability(document);
  const scope = scopeOf(found, body);
  const foundText = scope === null ? 0 : ownTextOf(found, scope, weights);
  const share = foundText / Math.max(1, ownText(weights(region)));
  const needed = discussion ? 0.85 : region === body ? mostOfBody : mostOfDeclared;
  const isFragment =
    foundText < shortArticle ||
    (share < needed && !(!discussion && foundText > longArticle && holdsProse(found, region, weights)));
  if (scope === null || isFragment) {
    removeLinkBlocks(region, weights, 'ul, ol, div, p, table, tr, td, dl, section, center, span');
    moveInto(document, region);
  } else {
    prune(scope, found, weights);
    removeLinkBlocks(scope, weigh(body), 'td, div, section, center');
    moveInto(document, scope);
  }
  for (const element of body.querySelectorAll(`[${mark}]`)) element.removeAttribute(mark);
  return body;
}

/** Whether what was found is the prose of the region; what the region holds besides are labels, links and forms. */
function holdsProse({ marks }: Found, region: DomElement, weights: Weights): boolean {
  const all = proseText(region, weights);
  const found = proseText(region, weights, (part) => marks.has(part.getAttribute(mark) ?? ''));
  return found >= all * 0.85;
}

/** Leaves nothing in the body but this part of it. */
function moveInto({ body }: DomDocument, part: DomElement): void {
  if (part !== body) body.replaceChildren(part);
}

/** Where the page itself says its main part is, where that holds a good part of its text; else the body. */
function regionOf(document: DomDocument, weights: Weights): DomElement {
  const all = ownText(weights(document.body));
  for (const selector of [
    'main, [role="main"]',
    'article',
    '#mw-content-text, #main-content, #maincontent, #content, #main, .main-content',
  ]) {
    const parts = Array.from(document.querySelectorAll(selector)).filter(
      (part) => part.parentElement?.closest(selector) === null,
    );
    const [part] = parts;
    if (part !== undefined && parts.length === 1 && ownText(weights(part)) >= all * 0.4) return part;
  }
  return document.body;
}

interface Found {
  marks: ReadonlySet<string>;
  first: number;
  /** Where what is worth keeping may begin. */
  start: number;
  last: number;
}

function foundByReadability(document: DomDocument): Found {
  const article = new Readability(document.cloneNode(true), {
    keepClasses: true,
    charThreshold: shortArticle,
    serializer: (node: unknown) => node,
  }).parse();
  const content: unknown = article?.content;
  const marks = new Set<string>();
  if (isDomElement(content)) {
    for (const element of content.querySelectorAll(`[${mark}]`)) marks.add(element.getAttribute(mark) ?? '');
  }
  const numbers = [...marks].map(Number);
  const first = numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return {
    marks,
    first,
    start: headingAbove(first, document.body),
    last: numbers.reduce((a, b) => Math.max(a, b), -1),
  };
}

/**
 * The number of the heading above what was found: articles begin with a paragraph that sums them up, papers with an
 * abstract, in elements of their own that Readability leaves out.
 */
function headingAbove(first: number, body: DomElement): number {
  const headings = Array.from(body.querySelectorAll('h1'), (heading) => Number(heading.getAttribute(mark)));
  const above = headings.filter((number) => number < first);
  return above.length > 0 && above.length === headings.length ? Math.max(...above) : first;
}

function isDomElement(value: unknown): value is DomElement {
  return typeof value === 'object' && value !== null && 'querySelectorAll' in value;
}

/** The smallest element around all that was found, and the heading above it. */
function scopeOf({ marks, start, last }: Found, body: DomElement): DomElement | null {
  if (marks.size === 0) return null;
  const end = body.querySelector(`[${mark}="${last}"]`);
  let scope = body.querySelector(`[${mark}="${start}"]`);
  while (scope !== null && scope !== body && end !== null && !scope.contains(end)) scope = scope.parentElement;
  return scope;
}

/** Text of the found elements that is no link. */
function ownTextOf({ marks }: Found, scope: DomElement, weights: Weights): number {
  let sum = 0;
  const walk = (element: DomElement): void => {
    const isFound = marks.has(element.getAttribute(mark) ?? '');
    const children = Array.from(element.children);
    // What is found of an element is what of its children is found, besides its own texts.
    const below = children.reduce((total, child) => total + ownText(weights(child)), 0);
    if (isFound) sum += Math.max(0, ownText(weights(element)) - below);
    for (const child of children) {
      if (isFound && isInline(child)) sum += ownText(weights(child));
      else walk(child);
    }
  };
  walk(scope);
  return sum;
}

interface Pruning extends Found {
  weights: Weights;
  /** The elements that something was found in. */
  holders: ReadonlySet<DomElement>;
}

/** Removes what was not found, but for what articles have and Readability takes for something else. */
function prune(scope: DomElement, found: Found, weights: Weights): void {
  const holders = new Set<DomElement>();
  for (const element of [scope, ...scope.querySelectorAll(`[${mark}]`)]) {
    if (!found.marks.has(element.getAttribute(mark) ?? '')) continue;
    for (let around = element.parentElement; around !== null && !holders.has(around); around = around.parentElement) {
      holders.add(around);
    }
  }
  pruneChildren(scope, { ...found, weights, holders });
}

function pruneChildren(element: DomElement, context: Pruning): void {
  const isFound = context.marks.has(element.getAttribute(mark) ?? '');
  for (const child of Array.from(element.children)) {
    if (child.localName === 'pre' || (isFound && isInline(child))) continue;
    const isChildFound = context.marks.has(child.getAttribute(mark) ?? '');
    const isAbove = Number(child.getAttribute(mark)) < context.first && child.querySelector(blocks) !== null;
    if (isChildFound || isAbove || context.holders.has(child) || (isFound && isOnlyChild(child, element)))
      pruneChildren(child, context);
    else if (!isWorth(child, isFound, context)) child.remove();
  }
}

const blocks = 'p, div, section, ul, ol, table, h1, h2, h3';
const inlineNames = new Set(
  words(
    'a abbr b bdi bdo br cite code data del dfn em font i img ins kbd mark math',
    'q rp rt ruby s samp small span strong strike sub sup tex-math time tt u var wbr picture footnote-ref',
  ),
);

function isInline(element: DomElement): boolean {
  return inlineNames.has(element.localName) && element.querySelector('p, div, ul, ol, table, pre, section') === null;
}

/** Readability makes one of an element and its only child. */
function isOnlyChild(child: DomElement, parent: DomElement): boolean {
  const isAlone = child.previousElementSibling === null && child.nextElementSibling === null;
  return isAlone && lineOf(child) === lineOf(parent);
}

const kinds =
  /^(?:pre|table|dl|ul|ol|figure|details|blockquote|p|h[1-6]|section|div|math|tex-math|footnote-list|aside)$/;

function isWorth(element: DomElement, inFound: boolean, { weights, start, last }: Pruning): boolean {
  const at = Number(element.getAttribute(mark));
  const weight = weights(element);
  const isBetween = at >= start && at < last;
  const name = element.localName;
  if (!kinds.test(name) || (!isBetween && !inFound)) return false;
  if (name === 'pre' || name === 'math' || name === 'tex-math' || name === 'footnote-list') return true;
  if (/^h[1-6]$/.test(name)) return isBetween && linkShare(weight) < 0.8;
  if (name === 'figure' || name === 'details')
    return weight.text === 0 ? element.querySelector('img[alt]') !== null : linkShare(weight) < 0.4;
  if (weight.text === 0) return false;
  if (name === 'p' || name === 'div' || name === 'section' || name === 'aside') {
    return isBetween && weight.text >= 80 && linkShare(weight) < 0.25;
  }
  return linkShare(weight) < (isBetween ? 0.5 : 0.25);
}
