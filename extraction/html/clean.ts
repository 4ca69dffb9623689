/** Changes to a page's DOM before its main content is looked for. */
import type { DomDocument, DomElement } from './dom.ts';

const linkAttributes: [string, string][] = [
  ['a[href]', 'href'],
  ['img[src]', 'src'],
];

/** Makes links and image addresses absolute, and removes those that lead nowhere (scripts, inlined images). */
export function resolveAddresses(document: DomDocument, url: string | null): void {
  const declared = document.querySelector('base[href]')?.getAttribute('href') ?? null;
  const base = resolved(declared, url) ?? url;
  for (const image of document.querySelectorAll('img')) {
    const lazy = image.getAttribute('data-src') ?? image.getAttribute('data-original');
    if (lazy !== null && (image.getAttribute('src') ?? 'data:').startsWith('data:')) image.setAttribute('src', lazy);
  }
  for (const [selector, attribute] of linkAttributes) {
    for (const element of document.querySelectorAll(selector)) {
      const address = (element.getAttribute(attribute) ?? '').trim();
      if (/^(?:javascript|data|blob|about|vbscript):/i.test(address)) element.removeAttribute(attribute);
      else element.setAttribute(attribute, resolved(address, base) ?? address);
    }
  }
}

function resolved(address: string | null, base: string | null): string | null {
  if (address === null) return null;
  if (base !== null && URL.canParse(address, base)) return new URL(address, base).href;
  return URL.canParse(address) ? new URL(address).href : null;
}

const headingAnchors = `${['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((heading) => `${heading} a[href^="#"]`).join()}, a.headerlink, .mw-editsection`;

/** Names the language of code blocks on the `pre` itself, and removes line numbers, copy buttons and heading anchors. */
export function prepareBlocks(document: DomDocument): void {
  for (const anchor of document.querySelectorAll(headingAnchors)) {
    if ((anchor.textContent ?? '').trim().length <= 1 || anchor.matches('.mw-editsection')) anchor.remove();
    // A heading that links to itself is a heading.
    else anchor.replaceWith(...Array.from(anchor.childNodes));
  }
  for (const gutter of document.querySelectorAll('td.linenos, td.gutter, .line-numbers-rows, .lineno, pre button'))
    gutter.remove();
  for (const code of document.querySelectorAll('table.highlighttable, table.rouge-table')) {
    const pre = code.querySelector('pre');
    if (pre !== null) code.replaceWith(pre);
  }
  for (const pre of document.querySelectorAll('pre')) {
    const language = languageOf(pre);
    if (language !== null) pre.setAttribute('data-language', language);
  }
  // Readability removes inputs, and with them what is done of a task list.
  for (const box of document.querySelectorAll('li input[type="checkbox"]')) {
    box.replaceWith(document.createTextNode(box.hasAttribute('checked') ? '[x] ' : '[ ] '));
  }
  for (const math of document.querySelectorAll('math')) {
    const tex =
      math.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? math.getAttribute('alttext');
    if (tex !== null && tex !== undefined && tex.trim() !== '')
      math.replaceWith(document.createTextNode(`$${tex.trim()}$`));
  }
}

/** "language-js", "lang-js", "highlight-source-js", "brush: js"; "sourceCode js", "highlight js" name it more loosely. */
const languageClasses = [
  /(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:)[-:]?\s*([a-z][\w+#.-]*)/i,
  /(?:^|\s)(?:sourceCode|src|highlight|hljs)[-\s]([a-z][\w+#.]*)(?=\s|$)/i,
];
const noLanguage = new Set([
  'none',
  'text',
  'plain',
  'plaintext',
  'nohighlight',
  'default',
  'code',
  'highlight',
  'notranslate',
]);

/** The language that a highlighter's class names on the block, its code, or up to two elements around it. */
function languageOf(pre: DomElement): string | null {
  const code = pre.querySelector('code');
  const around = [code, pre, pre.parentElement, pre.parentElement?.parentElement];
  for (const element of around) {
    if (element === null || element === undefined) continue;
    const named = element.getAttribute('data-language') ?? element.getAttribute('data-lang');
    const language = (named ?? classLanguage(element))?.toLowerCase();
    if (language !== undefined && /^[a-z][\w+#.-]{0,30}$/.test(language) && !noLanguage.has(language)) return language;
  }
  return null;
}

function classLanguage(element: DomElement): string | undefined {
  const names = element.getAttribute('class') ?? '';
  for (const pattern of languageClasses) {
    const language = pattern.exec(names)?.[1];
    if (language !== undefined) return language;
  }
  return undefined;
}

const chrome =
  'nav, header, footer, aside, form, button, select, input, textarea, [role="navigation"], [role="banner"], [role="contentinfo"], [aria-hidden="true"], [hidden]';

/** The page's body without navigation and forms; the whole body where nothing else is on it. */
export function withoutChrome(document: DomDocument): DomElement {
  const all = document.body.innerHTML;
  for (const element of document.body.querySelectorAll(chrome)) {
    // The header of a page repeats the site; that of an article holds its title.
    if (element.localName === 'header' && element.closest('article, main') !== null) continue;
    element.remove();
  }
  if ((document.body.textContent ?? '').trim() === '') document.body.innerHTML = all;
  return document.body;
}
