/** Makes code, lists and headings of a page's DOM what Markdown means by them, before its main content is looked for. */

import { languageOf } from './code-language.ts';
import { type DomDocument, type DomElement, lineOf } from './dom.ts';
import { prepareFormulas } from './formulas.ts';

const headingAnchors = [
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((heading) => `${heading} a[href^="#"]`),
  'a.headerlink, a.anchor, .mw-editsection',
].join();
const gutters = [
  'td.gutter, td.blob-num, td.line-numbers, .line-numbers-rows, .line-numbers-wrapper',
  '.lineno, .linenos, .hljs-ln-numbers, .react-line-number',
  'pre button, pre .copy, .code-block-header button',
].join();

/** Names the language of code blocks on the `pre` itself, and removes line numbers, copy buttons and heading anchors. */
export function prepareBlocks(document: DomDocument): void {
  for (const anchor of Array.from(document.querySelectorAll(headingAnchors))) {
    if (
      lineOf(anchor).length <= 1 ||
      anchor.matches(
        '.mw-editsection, .headerlink, [aria-hidden="true"], [aria-label^="Permalink"], [aria-label^="Direct link"]',
      )
    ) {
      if (anchor.querySelector('img[alt]') === null) anchor.remove();
    }
    // A heading that links to itself is a heading.
    else anchor.replaceWith(...Array.from(anchor.childNodes));
  }
  prepareCode(document);
  prepareLists(document);
  prepareFormulas(document);
}

function prepareCode(document: DomDocument): void {
  for (const gutter of Array.from(document.querySelectorAll(gutters))) gutter.remove();
  // As a selector, `pre + button`, it would list all that stands beside each button.
  for (const button of Array.from(document.querySelectorAll('button'))) {
    if (button.previousElementSibling?.localName === 'pre') button.remove();
  }
  for (const code of Array.from(
    document.querySelectorAll('table.highlighttable, table.rouge-table, figure.highlight table, table.hljs-ln'),
  )) {
    const pre = code.querySelector('pre');
    if (pre !== null) code.replaceWith(pre);
  }
  for (const table of Array.from(document.querySelectorAll('table'))) codeOfRows(document, table);
  for (const pre of Array.from(document.querySelectorAll('pre'))) {
    const language = languageOf(pre);
    if (language !== null) pre.setAttribute('data-language', language);
    linesOf(document, pre);
    // Highlighters write the name of the language above the code.
    for (const label of [pre.previousElementSibling, pre.nextElementSibling]) {
      const isLabel =
        label?.matches('.lang, .language, .code-lang, .code-block-lang, .copy, button, .code-header, .toolbar') ??
        false;
      if (isLabel && lineOf(label).length < 30) label?.remove();
    }
  }
}

/** Code hosts show a file as a table of lines. */
function codeOfRows(document: DomDocument, table: DomElement): void {
  const lines = Array.from(table.querySelectorAll('td.blob-code, td.blob-code-inner, td.line-content, td.code-line'));
  if (lines.length < 2) return;
  const pre = document.createElement('pre');
  pre.append(document.createTextNode(lines.map((line) => (line.textContent ?? '').replace(/\n$/, '')).join('\n')));
  table.replaceWith(pre);
}

/** Lines that are elements of their own, or parted by `br`, end with a line break. */
function linesOf(document: DomDocument, pre: DomElement): void {
  for (const end of Array.from(pre.querySelectorAll('br'))) end.replaceWith(document.createTextNode('\n'));
  const blocks = Array.from(pre.querySelectorAll('div, li, p, tr'));
  for (const line of [...blocks, ...inlineLinesOf(pre)]) {
    const { previousSibling: before, nextSibling: after } = line;
    if (before?.nodeName === '#text' && !/(?:^|\n)[ \t]*$/.test(before.textContent ?? ''))
      line.prepend(document.createTextNode('\n'));
    if (after !== null && !/\n$/.test(line.textContent ?? '') && !/^[ \t]*\n/.test(after.textContent ?? ''))
      line.append(document.createTextNode('\n'));
  }
}

const namedLine = /(?:^|[\s_-])(?:line|row)(?:$|\s)/i;
const shownAsLine = /(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table-row|list-item)/i;

/** Elements within a line that are shown as lines: each by its style, its name or its number, or a `code` for each. */
function inlineLinesOf(pre: DomElement): DomElement[] {
  const lines: DomElement[] = [];
  for (const holder of [pre, ...pre.querySelectorAll('code, span')]) {
    const parts = Array.from(holder.children);
    const holdsOnlyLines = parts.length > 1 && parts.every((part) => isLine(part, holder === pre));
    const texts = Array.from(holder.childNodes).filter((node) => node.nodeName === '#text');
    if (holdsOnlyLines && texts.every((text) => (text.textContent ?? '').trim() === '')) lines.push(...parts);
  }
  return lines;
}

function isLine(part: DomElement, inPre: boolean): boolean {
  if (part.localName === 'code') return inPre;
  if (part.localName !== 'span') return false;
  return (
    shownAsLine.test(part.getAttribute('style') ?? '') ||
    namedLine.test(part.getAttribute('class') ?? '') ||
    part.hasAttribute('data-line') ||
    part.hasAttribute('data-line-number')
  );
}

function prepareLists(document: DomDocument): void {
  // Readability removes inputs, and with them what is done of a task list.
  for (const box of Array.from(document.querySelectorAll('li input[type="checkbox"]'))) {
    box.replaceWith(document.createTextNode(box.hasAttribute('checked') ? '[x] ' : '[ ] '));
  }
  // A list that stands in a list beside its items belongs to the item before it.
  for (const list of Array.from(document.querySelectorAll('ul > ul, ul > ol, ol > ul, ol > ol'))) {
    const before = list.previousElementSibling;
    if (before?.localName === 'li') before.append(list);
  }
}
