/** Formulas as pages hold them (MathML, KaTeX, MathJax, images of MediaWiki) -> elements `tex-math` of LaTeX. */
import { type DomDocument, type DomElement, isElement, lineOf } from './dom.ts';
import { mathmlToTex } from './mathml.ts';

const rendered =
  '.katex-display, .katex, mjx-container, .MathJax_Display, .MathJax, .mwe-math-element, .math-tex, .ltx_Math';

/** Replaces each formula, with all that shows it a second time. */
export function prepareFormulas(document: DomDocument): void {
  for (const math of Array.from(document.querySelectorAll('math'))) {
    const tex = texOf(math);
    let outer: DomElement = math;
    for (let around = math.parentElement; around !== null; around = around.parentElement)
      if (around.matches(rendered)) outer = around;
    const display =
      math.getAttribute('display') === 'block' ||
      /display/i.test(`${outer.getAttribute('class')} ${outer.querySelector('img')?.getAttribute('class')}`) ||
      outer.getAttribute('display') === 'true';
    if (tex !== '') outer.replaceWith(formulaOf(document, tex, display));
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

const delimiters = /\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$\$([\s\S]+?)\$\$/g;

function delimited(document: DomDocument, element: DomElement): void {
  for (const node of Array.from(element.childNodes)) {
    if (isElement(node) || node.nodeName !== '#text') continue;
    const text = node.textContent ?? '';
    const matches = [...text.matchAll(delimiters)];
    if (matches.length === 0) continue;
    const whole = document.createElement('span');
    let last = 0;
    for (const match of matches) {
      whole.append(document.createTextNode(text.slice(last, match.index)));
      whole.append(formulaOf(document, (match[1] ?? match[2] ?? match[3] ?? '').trim(), match[1] === undefined));
      last = match.index + match[0].length;
    }
    whole.append(document.createTextNode(text.slice(last)));
    const following = Array.from(element.childNodes);
    element.replaceChildren(...following.flatMap((child) => (child === node ? Array.from(whole.childNodes) : [child])));
  }
}

function texOf(math: DomElement): string {
  const annotation = math.querySelector(
    'annotation[encoding="application/x-tex"], annotation[encoding="TeX"], annotation[encoding="LaTeX"]',
  );
  const said = plainTex(annotation?.textContent ?? math.getAttribute('alttext') ?? '');
  return said !== '' ? said : mathmlToTex(math).replace(/\s+/g, ' ').trim();
}

function plainTex(tex: string): string {
  const text = tex.trim().replace(/^\$+|\$+$/g, '');
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
