/** Link definitions and footnotes count for a whole document: texts that are joined must not share their labels. */
import type { Nodes } from 'mdast';
import { nodesOf, spanOf } from './nodes.ts';
import { parseMarkdown } from './parse.ts';

type Edit = { start: number; end: number; text: string };

/**
 * The text with those labels of its link definitions and footnotes renamed (`-<number>` appended) that are in `taken`,
 * in definitions and references alike. Adds all labels of the result to `taken`.
 */
export function renameLabels(markdown: string, taken: Set<string>, number: number): string {
  if (!markdown.includes(']:')) return markdown;
  const nodes = [
    ...parseMarkdown(markdown, { inline: true })
      .flatMap(nodesOf)
      .filter((node) => keyOf(node) !== ''),
  ];
  const own = new Set(
    nodes.filter((node) => node.type === 'definition' || node.type === 'footnoteDefinition').map(keyOf),
  );
  const clashing = new Set([...own].filter((key) => taken.has(key)));
  for (const key of own) taken.add(clashing.has(key) ? `${key}-${number}` : key);
  const edits = nodes
    .filter((node) => clashing.has(keyOf(node)))
    .flatMap((node) => editsOf(node, markdown, number))
    .sort((a, b) => a.start - b.start);
  let renamed = '';
  let last = 0;
  for (const { start, end, text } of edits) {
    renamed += markdown.slice(last, start) + text;
    last = end;
  }
  return renamed + markdown.slice(last);
}

/** Footnotes and links have labels of their own kind. */
function keyOf(node: Nodes): string {
  if (node.type === 'footnoteDefinition' || node.type === 'footnoteReference') return `^${node.identifier}`;
  return 'identifier' in node ? node.identifier : '';
}

/** A small range at one end of the node, so that references within references do not overlap. */
function editsOf(node: Nodes, markdown: string, number: number): Edit[] {
  const { start, end } = spanOf(node);
  const label = 'label' in node && typeof node.label === 'string' ? node.label : null;
  if (label === null) return [];
  const renamed = `${label}-${number}`;
  switch (node.type) {
    case 'definition':
      return markdown.startsWith(`[${label}]`, start)
        ? [{ start, end: start + label.length + 2, text: `[${renamed}]` }]
        : [];
    case 'footnoteDefinition':
    case 'footnoteReference':
      return markdown.startsWith(`[^${label}]`, start)
        ? [{ start, end: start + label.length + 3, text: `[^${renamed}]` }]
        : [];
    case 'linkReference':
    case 'imageReference': {
      if (node.referenceType === 'shortcut') return [{ start: end, end, text: `[${renamed}]` }];
      const length = node.referenceType === 'collapsed' ? 2 : label.length + 2;
      return [{ start: end - length, end, text: `[${renamed}]` }];
    }
    default:
      return [];
  }
}
