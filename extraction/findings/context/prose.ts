/** The words of a document without code, markup and addresses: what language and statistics are judged by. */
import type { Nodes } from 'mdast';

const skipped = new Set(['code', 'yaml', 'html', 'definition']);

/** Texts of the paragraphs, headings and table cells of a block that was parsed without inline constructs. */
export function proseOf(block: Nodes): string[] {
  const texts: string[] = [];
  const pending: Nodes[] = [block];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (skipped.has(node.type)) continue;
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') {
      const text = withoutMarks(node.children.map((child) => ('value' in child ? child.value : '')).join(''));
      if (text !== '') texts.push(text);
    } else if ('children' in node) for (const child of node.children.toReversed()) pending.push(child);
  }
  return texts;
}

function withoutMarks(text: string): string {
  return text
    .replace(/`+[^`\n]*`+/g, (code) => code.replaceAll('`', ''))
    .replace(/!\[[^\][]*\](?:\([^()\s]*(?:\s+"[^"\n]*")?\)|\[[^\][]*\])/g, '')
    .replace(/\[([^\][]*)\]\[[^\][]*\]/g, '$1')
    .replace(/\[([^\][]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"\n]*")?\)/g, '$1')
    .replace(/\bhttps?:\/\/\S+/g, '')
    .replace(/<\/?[a-z][^<>\n]*>/gi, '')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replace(/\*+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .trim();
}
