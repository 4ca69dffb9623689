/** The words of a document without code blocks, markup and addresses: what language and statistics are judged by. */
import type { Nodes } from 'mdast';

const skippedBlocks = new Set(['code', 'yaml', 'html', 'definition']);

/** Texts of the paragraphs, headings and table cells of a block. */
export function proseOf(block: Nodes): string[] {
  const texts: string[] = [];
  const pending: Nodes[] = [block];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (skippedBlocks.has(node.type)) continue;
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') {
      const text = wordsOf(node).trim();
      if (text !== '') texts.push(text);
    } else if ('children' in node) for (const child of node.children.toReversed()) pending.push(child);
  }
  return texts;
}

/** The text within a block: of links what is shown, unless that is an address; images and raw HTML are no words. */
function wordsOf(block: Nodes): string {
  let words = '';
  const pending: Nodes[] = [block];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === 'text') words += node.value.replace(address, '');
    else if (node.type === 'inlineCode') words += node.value;
    else if (node.type === 'break') words += '\n';
    else if ('children' in node) for (const child of node.children.toReversed()) pending.push(child);
  }
  return words;
}

const address = /\bhttps?:\/\/\S+/g;
