/** DOM -> Markdown (CommonMark with GFM tables, strikethrough and task lists). */
import TurndownService from 'turndown';
import { escapeInline, fenced } from '../markdown/write.ts';
import type { DomElement, DomNode } from './dom.ts';
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
  return service
    .turndown(element)
    .replace(/[ \t]+$/gm, (spaces) => (spaces === '  ' ? spaces : ''))
    .replace(/\n{3,}/g, '\n\n');
}

function escapeBlockText(text: string): string {
  return escapeInline(text).replace(/^(\s*)(#{1,6}|[-+>]|\d+[.)])(?=\s)/, (_, space: string, mark: string) =>
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
      const code = (node.textContent ?? '').replace(/\r\n?/g, '\n').replace(/^\n|\s+$/g, '');
      if (code.trim() === '') return '';
      return `\n\n${fenced(code, node.getAttribute('data-language') ?? '')}\n\n`;
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
      const [, before = '', text = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(content) ?? [];
      return `${before}[${text.replace(/\s*\n\s*/g, ' ')}](${destination(href)})${after}`;
    },
  },
  image: {
    filter: 'img',
    replacement: (_, node: DomElement) => {
      const source = node.getAttribute('src') ?? '';
      const alt = (node.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
      // Without a description an image tells a reader of text nothing.
      return source === '' || alt === '' ? '' : `![${alt.replace(/[[\]]/g, '\\$&')}](${destination(source)})`;
    },
  },
  strong: {
    filter: ['strong', 'b'],
    replacement: (content, node: DomElement, options) => {
      if (content.trim() === '' || node.parentElement?.closest('strong, b, h1, h2, h3, h4, h5, h6')) return content;
      const [, before = '', text = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(content) ?? [];
      return `${before}${options.strongDelimiter}${text}${options.strongDelimiter}${after}`;
    },
  },
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

/** A link destination: spaces and unbalanced parentheses would end it early. */
function destination(address: string): string {
  return /[\s()<>]/.test(address)
    ? `<${address.replace(/\s/g, '%20').replace(/</g, '%3C').replace(/>/g, '%3E')}>`
    : address;
}
