/** Links: inline, by reference, in angle brackets and bare. */
import { toString as textOf } from 'mdast-util-to-string';
import { type Finder, titleFrom } from './find.ts';

/**
 * Content is the URL, the title its text. Only addresses that can be followed from anywhere are artifacts: not
 * relative ones, anchors within the page or scripts.
 */
export const findLink: Finder = (node, { start, end, headings, definitions }) => {
  const url =
    node.type === 'link' ? node.url : node.type === 'linkReference' ? definitions.get(node.identifier) : undefined;
  if (url === undefined || !/^(?:https?|mailto|ftp):/i.test(url) || !URL.canParse(url)) return null;
  const text = textOf(node).replace(/\s+/g, ' ').trim();
  return {
    kind: 'link',
    title: titleFrom(text === '' ? url : text),
    content: url,
    language: null,
    metadata: { headings, text, ...('title' in node && node.title ? { tooltip: node.title } : {}) },
    normalised: new URL(url).href,
    start,
    end,
  };
};
