/** DOM -> Markdown (CommonMark with GFM tables, strikethrough and task lists). */
import TurndownService from 'turndown';
import { escapeInline, fenced } from '../../markdown/write.ts';
import { type DomElement, type DomNode, lineOf } from './dom.ts';
import { formulaMarkdown } from './formulas.ts';
import { tableToMarkdown } from './table.ts';

/** The Markdown of an element's content. */
export function turndown(element: DomElement): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  // Turndown's own escaping puts a backslash into every snake_case name and numbered line.
  service.escape = escapeBlockText;
  service.remove(['button', 'input', 'select', 'textarea', 'video', 'audio']);
  for (const [name, rule] of Object.entries(rules)) service.addRule(name, rule);
  service.addRule('table', {
    filter: 'table',
    replacement: (content, node: DomElement) =>
      `\n\n${tableToMarkdown(node, content, (cell) => service.turndown(cell))}\n\n`,
  });
  return tidy(service.turndown(element));
}

/** Without trailing spaces and spare blank lines, but for those of code. */
function tidy(markdown: string): string {
  const tidied: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.replaceAll(runBreak, '').split('\n')) {
    const mark = /^\s*(?:(?:[-*]|\d+\.|>)\s+)*(`{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark === fence && line.trim().endsWith(fence)) fence = null;
      tidied.push(line);
      continue;
    }
    fence = mark ?? null;
    const text = withoutSpaces(line);
    // Two line breaks in a row are how some pages part their paragraphs.
    if (text.trim() !== '') tidied.push(text);
    else if (tidied.at(-1) !== '') {
      tidied.push(tidied.pop()?.trimEnd() ?? '');
      if (tidied.at(-1) !== '') tidied.push('');
    }
  }
  return tidied.join('\n').replace(/ {2}$/, '');
}

/** Two spaces at the end of a line are a line break. */
function withoutSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && /[ \t\u00a0]/.test(line.charAt(end - 1))) end -= 1;
  return line.slice(end) === '  ' ? line : line.slice(0, end);
}

/**
 * Turndown looks for the spaces at the end of what it wrote in the square of the longest run of them. Runs of code are
 * broken by a character that no HTML holds until all is written; runs in other text (`&nbsp;`) lay something out.
 */
const runBreak = '\0';
const longestRun = 64;
const longRun = new RegExp(String.raw`\s{${longestRun},}`, 'g');

function brokenRuns(code: string): string {
  return code.replace(longRun, (run) => run.replace(new RegExp(String.raw`\s{${longestRun}}`, 'g'), `$&${runBreak}`));
}

/** The text, and the spaces around it. */
function parted(content: string): { before: string; text: string; after: string } {
  const text = content.trim();
  const start = content.length - content.trimStart().length;
  return { before: content.slice(0, start), text, after: content.slice(start + text.length) };
}

function escapeBlockText(text: string): string {
  const short = text.replace(longRun, (run) => run.slice(0, longestRun));
  // Letters of private use are the pictures of an icon font.
  return escapeInline(short.replace(/\p{Co}/gu, '')).replace(
    /^(\s*)(#{1,6}|[-+>]|\d+[.)])(?=\s)/,
    (_, space: string, mark: string) =>
      /^\d/.test(mark) ? `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}` : `${space}\\${mark}`,
  );
}

/** Numbers of the items of each list, counted once: asked for one by one they cost the square of the length. */
const numbers = new WeakMap<DomNode, number>();

function numberOf(item: DomElement, list: DomElement): number {
  if (!numbers.has(item)) {
    let number = Number(list.getAttribute('start') ?? '1') || 1;
    for (const child of Array.from(list.children)) {
      numbers.set(child, number);
      if (child.localName === 'li') number += 1;
    }
  }
  return numbers.get(item) ?? 1;
}

const rules: Record<string, TurndownService.Rule> = {
  pre: {
    filter: 'pre',
    replacement: (_, node: DomElement) => {
      const code = (node.textContent ?? '').replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
      if (code.trim() === '') return '';
      return `\n\n${brokenRuns(fenced(code, node.getAttribute('data-language') ?? ''))}\n\n`;
    },
  },
  listItem: {
    filter: 'li',
    replacement: (content, node: DomElement, options) => {
      const list = node.parentElement;
      const marker = list?.nodeName === 'OL' ? `${numberOf(node, list)}. ` : `${options.bulletListMarker} `;
      const body = content
        .trim()
        .replace(/^(\[[ x]\])\s+/, '$1 ')
        .replace(/^([^\n]+)\n{2,}(?=(?:[-*+]|\d+\.) )/, '$1\n');
      const indented = body.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
      return `${marker}${indented}${node.nextSibling === null ? '' : '\n'}`;
    },
  },
  heading: {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node: DomElement) => {
      const text = content.replace(/\s+/g, ' ').trim();
      return text === '' ? '' : `\n\n${'#'.repeat(Number(node.nodeName.charAt(1)))} ${text}\n\n`;
    },
  },
  link: {
    filter: (node: DomElement) => node.nodeName === 'A',
    replacement: (content, node: DomElement) => {
      const href = node.getAttribute('href') ?? '';
      // A link around blocks cannot be written; the blocks matter more.
      if (href === '' || content.trim() === '' || /\n\s*\n/.test(content.trim())) return content;
      const { before, text, after } = parted(content);
      return `${before}[${text
        .split('\n')
        .map((line) => line.trim())
        .join(' ')}](${destination(href)})${after}`;
    },
  },
  image: {
    filter: 'img',
    replacement: (_, node: DomElement) => {
      const source = node.getAttribute('src') ?? '';
      const alt = (node.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
      return source === '' || !describes(alt) ? '' : `![${alt.replace(/[[\]]/g, '\\$&')}](${destination(source)})`;
    },
  },
  strong: {
    filter: ['strong', 'b'],
    replacement: (content, node: DomElement, options) => {
      if (content.trim() === '' || node.parentElement?.closest('strong, b, h1, h2, h3, h4, h5, h6')) return content;
      const { before, text, after } = parted(content);
      return `${before}${options.strongDelimiter}${text}${options.strongDelimiter}${after}`;
    },
  },
  formula: {
    filter: (node: DomElement) => node.nodeName === 'TEX-MATH',
    replacement: (_, node: DomElement) => formulaMarkdown(node),
  },
  footnoteMark: {
    filter: (node: DomElement) => node.nodeName === 'FOOTNOTE-REF',
    replacement: (_, node: DomElement) => `[^${lineOf(node)}]`,
  },
  footnote: {
    filter: (node: DomElement) => node.nodeName === 'FOOTNOTE-TEXT',
    replacement: (content, node: DomElement) =>
      `\n\n[^${node.getAttribute('data-number')}]: ${content.trim().replace(/\n(?=[^\n])/g, '\n    ')}\n\n`,
  },
  footnotes: {
    filter: (node: DomElement) => node.nodeName === 'FOOTNOTE-LIST',
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  },
  summary: {
    filter: (node: DomElement) => node.nodeName === 'SUMMARY',
    replacement: (content, node: DomElement) =>
      node.querySelector('h1, h2, h3, h4, h5, h6, p') !== null || content.trim() === ''
        ? content
        : `\n\n**${content.trim().replace(/\*\*/g, '')}**\n\n`,
  },
  script: {
    filter: ['sup', 'sub'],
    replacement: (content, node: DomElement) => {
      const name = node.localName;
      // Marks of ordinals, notes and the like read as they are.
      if (content.trim() === '' || /\[|^(?:st|nd|rd|th|er|re|e|o|a|º|ª|tm|®|™)$/i.test(content.trim())) return content;
      return `<${name}>${content.trim()}</${name}>`;
    },
  },
  ruby: { filter: ['rt', 'rp'], replacement: () => '' },
  strikethrough: { filter: ['del', 's'], replacement: (content) => (content.trim() === '' ? '' : `~~${content}~~`) },
  caption: { filter: ['figcaption', 'caption'], replacement: (content) => `\n\n${content.trim()}\n\n` },
  definitionTerm: {
    filter: (node: DomElement) => node.nodeName === 'DT',
    replacement: (content) => `\n\n**${content.trim()}**\n`,
  },
  definition: {
    filter: (node: DomElement) => node.nodeName === 'DD',
    replacement: (content) => `\n${content.trim()}\n`,
  },
};

/** Without a description an image tells a reader of text nothing; the name of its file is none. */
export function describes(alt: string): boolean {
  return alt !== '' && !/\.(?:jpe?g|png|gif|webp|svg|avif|bmp)$/i.test(alt);
}

/** A link destination: spaces and unbalanced parentheses would end it early. */
function destination(address: string): string {
  return /[\s()<>]/.test(address)
    ? `<${address.replace(/\s/g, '%20').replace(/</g, '%3C').replace(/>/g, '%3E')}>`
    : address;
}
