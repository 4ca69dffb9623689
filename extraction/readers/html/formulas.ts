/** Formulas as pages hold them (MathML, KaTeX, MathJax, images of MediaWiki) -> elements `tex-math` of LaTeX. */
import { type DomDocument, type DomElement, type DomNode, isElement, lineOf } from './dom.ts';
import { mathmlToTex } from './mathml.ts';

const rendered =
  '.katex-display, .katex, mjx-container, .MathJax_Display, .MathJax, .mwe-math-element, .math-tex, .ltx_Math';

/** Replaces each formula, with all that shows it a second time. */
export function prepareFormulas(document: DomDocument): void {
  const replaced = new Set<DomElement>();
  for (const math of Array.from(document.querySelectorAll('math'))) {
    const tex = texOf(math);
    if (tex === '') continue;
    let outer: DomElement = math;
    for (let around = math.parentElement; around !== null; around = around.parentElement)
      if (around.matches(rendered)) outer = around;
    if (replaced.has(outer)) continue;
    replaced.add(outer);
    const display =
      math.getAttribute('display') === 'block' ||
      /display/i.test(`${outer.getAttribute('class')} ${outer.querySelector('img')?.getAttribute('class')}`) ||
      outer.getAttribute('display') === 'true';
    outer.replaceWith(formulaOf(document, tex, display));
  }
  for (const image of Array.from(document.querySelectorAll('img.tex, img.latex, img[class*="math-fallback"]'))) {
    const tex = plainTex(image.getAttribute('alt') ?? '');
    if (tex !== '') image.replaceWith(formulaOf(document, tex, false));
  }
  for (const element of Array.from(document.querySelectorAll('span.math, div.math, .arithmatex')))
    delimited(document, element);
}

/** `\(…\)`, `\[…\]` and `$$…$$` in the text of a page whose scripts show them as formulas. */
export function prepareTexInText(document: DomDocument): void {
  for (const element of [document.body, ...document.body.querySelectorAll('*')]) {
    if (element.closest('pre, code, tex-math, kbd, samp') !== null) continue;
    delimited(document, element);
  }
}

// No formula begins within another, so one that is not closed is searched up to the next alone. The `\[` of `\\[2pt]`,
// a line break with a distance, begins none.
const delimiters =
  /(?<!\\)\\\(((?:(?!(?<!\\)\\\()[\s\S])+?)\\\)|(?<!\\)\\\[((?:(?!(?<!\\)\\\[)[\s\S])+?)\\\]|\$\$([\s\S]+?)\$\$/g;

function delimited(document: DomDocument, element: DomElement): void {
  const children = Array.from(element.childNodes);
  if (!children.some((child) => hasDelimiter(child))) return;
  element.replaceChildren();
  // One by one: a list of 200,000 is longer than what a call takes as arguments.
  for (const child of children.flatMap((node) => (hasDelimiter(node) ? partsOf(document, node) : [node]))) {
    element.append(child);
  }
}

function hasDelimiter(node: DomNode): boolean {
  return !isElement(node) && node.nodeName === '#text' && /\\[([]|\$\$/.test(node.textContent ?? '');
}

/** A text with elements for its formulas. */
function partsOf(document: DomDocument, node: DomNode): DomNode[] {
  const text = node.textContent ?? '';
  const parts: DomNode[] = [];
  let last = 0;
  for (const match of text.matchAll(delimiters)) {
    parts.push(document.createTextNode(text.slice(last, match.index)));
    parts.push(formulaOf(document, (match[1] ?? match[2] ?? match[3] ?? '').trim(), match[1] === undefined));
    last = match.index + match[0].length;
  }
  parts.push(document.createTextNode(text.slice(last)));
  return parts;
}

function texOf(math: DomElement): string {
  const annotation = math.querySelector(
    'annotation[encoding="application/x-tex"], annotation[encoding="TeX"], annotation[encoding="LaTeX"]',
  );
  const said = plainTex(annotation?.textContent ?? math.getAttribute('alttext') ?? '');
  return said !== '' ? said : mathmlToTex(math).replace(/\s+/g, ' ').trim();
}

function plainTex(tex: string): string {
  let text = tex.trim().replace(/^\$+/, '');
  while (text.endsWith('$')) text = text.slice(0, -1);
  return (/^\{\\(?:displaystyle|textstyle)\s*([\s\S]*)\}$/.exec(text)?.[1] ?? text).trim();
}

function formulaOf(document: DomDocument, tex: string, display: boolean): DomElement {
  const element = document.createElement('tex-math');
  if (display) element.setAttribute('data-display', '');
  element.append(document.createTextNode(tex));
  return element;
}

/** A formula's Markdown. */
export function formulaMarkdown(element: DomElement): string {
  const tex = lineOf(element);
  const isBlock =
    element.hasAttribute('data-display') && element.closest('td, th, li, h1, h2, h3, h4, h5, h6') === null;
  return isBlock ? `\n\n$$\n${tex}\n$$\n\n` : `$${tex}$`;
}
